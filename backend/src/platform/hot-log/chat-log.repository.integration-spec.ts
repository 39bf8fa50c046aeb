// Uses a real Redis. `hotLog` has one chat of the users 1 and 2 for each test. `enter` adds a socket of a user on a
// replica, `logs` are repositories with separate connections, and `messages` are what was published to `r1`.
import { ModulesContainer } from '@nestjs/core';
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';
import { ProcessEventsService } from '../process-events/process-events.service';
import { findShard } from '../redis/redis.keys';
import { ChatLogRepository } from './chat-log.repository';
import { OUTBOX_MAX_ENTRIES } from './outbox.scripts';

/** The end of the stream that the first append to a chat expects. */
const END_OF_EMPTY_STREAM = { version: 0, lastId: '' };
const GRACE_MS = 1_000;
const WRITER_COUNT = 30;

describe('ChatLogRepository', () => {
  const hotLog = useTestHotLog();
  const log = () => hotLog.logs[0]!;
  /** Returns the event in a published `<version> <entry id> <event>`. */
  const parseEvent = (message: string) => message.split(' ')[2];
  /** Sets the deadline for the user's return to a time in the past. */
  const setOverdueDeadline = (userId: number) =>
    hotLog.store.redis.zadd(hotLog.getKeys().deadlines, '1', `${hotLog.sessionId}|${userId}`);

  it('appends to the stream and the outbox and publishes, with ids and versions in order', async () => {
    await hotLog.enter('r1', 1);
    const first = await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a', 'b c']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    const [idA = '', idB = ''] = first.ids;
    await log().append(hotLog.sessionId, { version: 2, lastId: idB }, ['c']);
    const entries = await log().read(hotLog.sessionId);
    expect(entries.map(({ text }) => text)).toEqual(['a', 'b c', 'c']);
    expect(await log().read(hotLog.sessionId, idA)).toEqual(entries.slice(1));
    await until(() => hotLog.messages.length === 3);
    expect(hotLog.messages).toEqual(entries.map(({ id, text }, index) => `${index + 1} ${id} ${text}`));
    // `fields` contains the names `session`, `entry` and `event`, each before its value.
    const outbox = (await hotLog.store.redis.xrange(hotLog.getKeys().outbox, '-', '+')).filter(
      ([, fields]) => fields[1] === hotLog.sessionId,
    );
    expect(outbox.map(([, fields]) => ({ id: fields[3], text: fields[5] }))).toEqual(entries);
    expect(await log().readVersions([hotLog.sessionId, 'unknown-session'])).toEqual([3, 0]);
  });

  it('publishes once to each replica that has a socket in the chat, except the replica that appends', async () => {
    await hotLog.enter('r1', 1, 'a');
    await hotLog.enter('r2', 2, 'b');
    await hotLog.enter('r2', 2, 'c');
    await hotLog.enter('r3', 1, 'd');
    await hotLog.getPresence('r3').leave(hotLog.sessionId, 'd', GRACE_MS); // the only socket on r3
    const first = await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a'], { exceptReplicaId: 'r1' });
    if (first.kind !== 'appended') throw new Error(first.kind);
    await log().append(hotLog.sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
    await until(() => hotLog.messages.length > 0);
    // The channels of `r1`, `r2` and `r3`, in this order.
    const [r1, r2, r3] = [...hotLog.messagesByChannel.values()].map((messages) => messages.map(parseEvent));
    expect({ r1, r2, r3 }).toEqual({ r1: ['b'], r2: ['a', 'b'], r3: [] });
  });

  it('refuses an append when another replica was faster, and returns the missed entries', async () => {
    const first = await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    expect(await hotLog.logs[1]!.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['b'])).toEqual({
      kind: 'behind',
      version: 1,
      missed: [{ id: first.ids[0], text: 'a' }],
    });
    expect(await log().readVersions([hotLog.sessionId])).toEqual([1]);
  });

  it('accepts concurrent appends one after the other and returns missed entries to the others in order', async () => {
    await hotLog.enter('r1', 1);
    const textsByWriter: string[][] = await Promise.all(
      Array.from({ length: WRITER_COUNT }, async (_, writer) => {
        const knownEntries: { id: string; text: string }[] = [];
        const ownLog = hotLog.logs[writer % hotLog.logs.length]!;
        for (;;) {
          const end = { version: knownEntries.length, lastId: knownEntries.at(-1)?.id ?? '' };
          const result = await ownLog.append(hotLog.sessionId, end, [`${writer}`]);
          if (result.kind === 'appended') return [...knownEntries.map(({ text }) => text), `${writer}`];
          if (result.kind !== 'behind') throw new Error(result.kind);
          knownEntries.push(...result.missed);
        }
      }),
    );
    const texts = (await log().read(hotLog.sessionId)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(WRITER_COUNT);
    for (const seenTexts of textsByWriter) expect(seenTexts).toEqual(texts.slice(0, seenTexts.length));
    await until(() => hotLog.messages.length === WRITER_COUNT);
    expect(hotLog.messages.map(parseEvent)).toEqual(texts);
  });

  it('refuses an append when the outbox is full', async () => {
    await hotLog.store.redis.eval(
      `for i = 1, ${OUTBOX_MAX_ENTRIES} do redis.call('XADD', KEYS[1], '*', 'session', 'other') end`,
      1,
      hotLog.getKeys().outbox,
    );
    expect(await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a'])).toEqual({ kind: 'outbox_full' });
    expect(await hotLog.store.redis.exists(hotLog.getKeys().stream(hotLog.sessionId))).toBe(0);
    await hotLog.store.redis.del(hotLog.getKeys().outbox);
    expect(await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a'])).toMatchObject({
      kind: 'appended',
    });
  });

  it('publishes the process event OutboxBecameNonEmpty only when an append finds the outbox empty', async () => {
    await hotLog.store.redis.del(hotLog.getKeys().outbox);
    const filledShards: number[] = [];
    const events = new ProcessEventsService(new ModulesContainer());
    jest.spyOn(events, 'publish').mockImplementation((name, event) => {
      if (name === 'OutboxBecameNonEmpty' && 'shard' in event) filledShards.push(Number(event.shard));
    });
    const ownLog = new ChatLogRepository(hotLog.clients[0]!, events);
    const first = await ownLog.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    await ownLog.append(hotLog.sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
    expect(filledShards).toEqual([findShard(hotLog.sessionId)]);
  });

  it('appends the end of the chat only once for an overdue deadline, and not if the user has returned', async () => {
    // At first, both users have a deadline that has not passed.
    await hotLog.presence.setDeadlines(hotLog.sessionId, [1, 2], GRACE_MS);
    expect(
      await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['end'], { ifOverdue: { userId: 1 } }),
    ).toEqual({
      kind: 'not_overdue',
    });
    await setOverdueDeadline(1);
    const results = await Promise.all(
      hotLog.logs.map((eachLog) =>
        eachLog.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['end'], { ifOverdue: { userId: 1 } }),
      ),
    );
    expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    const { id: lastId = '' } = (await log().read(hotLog.sessionId)).at(-1) ?? {};
    await setOverdueDeadline(2);
    await hotLog.enter('r1', 2);
    expect(
      await log().append(hotLog.sessionId, { version: 1, lastId }, ['end'], { ifOverdue: { userId: 2 } }),
    ).toEqual({
      kind: 'not_overdue',
    });
  });

  it('estimates the time of Redis, whatever the clock of this process shows', async () => {
    const realNow = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 60_000);
    await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a']);
    // The clock of Redis shows about the same time as the real clock of this process.
    expect(Math.abs(log().estimateRedisTimeMs() - realNow())).toBeLessThan(5_000);
    // The clock of this process is right again, and the next append measures the difference again.
    clock.mockRestore();
    const [entry] = await log().read(hotLog.sessionId);
    await log().append(hotLog.sessionId, { version: 1, lastId: entry?.id ?? '' }, ['b']);
    expect(Math.abs(log().estimateRedisTimeMs() - realNow())).toBeLessThan(5_000);
  });

  it('refuses an append to a stream that has lost an entry before its last one', async () => {
    const first = await log().append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a', 'b']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    const [lost = '', lastId = ''] = first.ids;
    await hotLog.store.redis.xdel(hotLog.getKeys().stream(hotLog.sessionId), lost);
    // The version is the number of entries, which is lower now.
    expect(await log().append(hotLog.sessionId, { version: 2, lastId }, ['c'])).toMatchObject({
      kind: 'behind',
      version: 1,
    });
  });
});
