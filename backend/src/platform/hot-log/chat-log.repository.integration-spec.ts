// Uses a real Redis.
import { ModulesContainer } from '@nestjs/core';
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';
import { ProcessEventsService } from '../process-events/process-events.service';
import { findShard } from '../redis/redis.keys';
import { ChatLogRepository } from './chat-log.repository';

const NOTHING = { version: 0, lastId: '' };
const GRACE_MS = 1_000;

describe('ChatLogRepository', () => {
  const hot = useTestHotLog();
  const log = () => hot.logs[0]!;
  /** Moves the user's deadline into the past. */
  const addOverdue = (userId: number) =>
    hot.store.redis.zadd(hot.getKeys().deadlines, '1', `${hot.sessionId}|${userId}`);

  it('appends to stream and outbox and publishes at once, with increasing ids and versions', async () => {
    await hot.enter('r1', 1);
    const first = await log().append(hot.sessionId, NOTHING, ['a', 'b c']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    const [idA = '', idB = ''] = first.ids;
    await log().append(hot.sessionId, { version: 2, lastId: idB }, ['c']);
    const entries = await log().read(hot.sessionId);
    expect(entries.map(({ text }) => text)).toEqual(['a', 'b c', 'c']);
    expect(await log().read(hot.sessionId, idA)).toEqual(entries.slice(1));
    await until(() => hot.messages.length === 3);
    expect(hot.messages).toEqual(entries.map(({ id, text }, index) => `${index + 1} ${id} ${text}`));
    const outbox = (await hot.store.redis.xrange(hot.getKeys().outbox, '-', '+')).filter(
      ([, fields]) => fields[1] === hot.sessionId,
    );
    expect(outbox.map(([, [, , , id, , text]]) => ({ id, text }))).toEqual(entries);
    expect(await log().readVersions([hot.sessionId, 'nowhere'])).toEqual([3, 0]);
  });

  it('publishes once to each replica that has a socket in the chat, except `exceptReplicaId`', async () => {
    await hot.enter('r1', 1, 'a');
    await hot.enter('r2', 2, 'b');
    await hot.enter('r2', 2, 'c');
    await hot.enter('r3', 1, 'd');
    await hot.getPresence('r3').leave(hot.sessionId, 'd', GRACE_MS);
    const first = await log().append(hot.sessionId, NOTHING, ['a'], { exceptReplicaId: 'r1' });
    if (first.kind !== 'appended') throw new Error(first.kind);
    await log().append(hot.sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
    await until(() => hot.messages.length > 0);
    const texts = [...hot.messagesByChannel.values()].map((messages) =>
      messages.map((message) => message.split(' ')[2]),
    );
    expect(texts).toEqual([['b'], ['a', 'b'], []]);
  });

  it('refuses an append when another replica was faster, and returns the missed entries', async () => {
    const first = await log().append(hot.sessionId, NOTHING, ['a']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    expect(await hot.logs[1]!.append(hot.sessionId, NOTHING, ['b'])).toEqual({
      kind: 'behind',
      version: 1,
      missed: [{ id: first.ids[0], text: 'a' }],
    });
    expect(await log().readVersions([hot.sessionId])).toEqual([1]);
  });

  it('accepts one of many concurrent appends at a time and returns the others in order', async () => {
    await hot.enter('r1', 1);
    const seen: string[][] = await Promise.all(
      Array.from({ length: 30 }, async (_, writer) => {
        const known: { id: string; text: string }[] = [];
        const mine = hot.logs[writer % hot.logs.length]!;
        for (;;) {
          const end = { version: known.length, lastId: known.at(-1)?.id ?? '' };
          const result = await mine.append(hot.sessionId, end, [`${writer}`]);
          if (result.kind === 'appended') return [...known.map(({ text }) => text), `${writer}`];
          if (result.kind !== 'behind') throw new Error(result.kind);
          known.push(...result.missed);
        }
      }),
    );
    const texts = (await log().read(hot.sessionId)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(30);
    for (const known of seen) expect(known).toEqual(texts.slice(0, known.length));
    await until(() => hot.messages.length === 30);
    expect(hot.messages.map((message) => message.split(' ')[2])).toEqual(texts);
  });

  it('refuses an append when the outbox is full', async () => {
    await hot.store.redis.eval(
      "for i = 1, 50000 do redis.call('XADD', KEYS[1], '*', 'session', 'other') end",
      1,
      hot.getKeys().outbox,
    );
    expect(await log().append(hot.sessionId, NOTHING, ['a'])).toEqual({ kind: 'outbox_full' });
    expect(await hot.store.redis.exists(hot.getKeys().stream(hot.sessionId))).toBe(0);
    await hot.store.redis.del(hot.getKeys().outbox);
    expect(await log().append(hot.sessionId, NOTHING, ['a'])).toMatchObject({ kind: 'appended' });
    expect(hot.messages.length).toBeLessThanOrEqual(1);
  });

  it('publishes OutboxFilled when an append finds the outbox empty', async () => {
    await hot.store.redis.del(hot.getKeys().outbox);
    const filled: number[] = [];
    const events = new ProcessEventsService(new ModulesContainer());
    jest.spyOn(events, 'publish').mockImplementation((_, event) => {
      if ('shard' in event) filled.push(Number(event.shard));
    });
    const own = new ChatLogRepository(hot.clients[0]!, events);
    const first = await own.append(hot.sessionId, NOTHING, ['a']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    await own.append(hot.sessionId, { version: 1, lastId: first.ids[0]! }, ['b']);
    expect(filled).toEqual([findShard(hot.sessionId)]);
  });

  it('appends the end for an overdue deadline once, and not after its user has returned', async () => {
    await hot.presence.setDeadlines(hot.sessionId, [1, 2], GRACE_MS);
    expect(await log().append(hot.sessionId, NOTHING, ['end'], { ifOverdue: { userId: 1 } })).toEqual({
      kind: 'not_overdue',
    });
    await addOverdue(1);
    const results = await Promise.all(
      hot.logs.map((each) => each.append(hot.sessionId, NOTHING, ['end'], { ifOverdue: { userId: 1 } })),
    );
    expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    const { id: lastId = '' } = (await log().read(hot.sessionId)).at(-1) ?? {};
    await addOverdue(2);
    await hot.enter('r1', 2);
    expect(
      await log().append(hot.sessionId, { version: 1, lastId }, ['end'], { ifOverdue: { userId: 2 } }),
    ).toEqual({
      kind: 'not_overdue',
    });
  });

  it('returns the time by the clock of entry ids, independent of the clock of this process', async () => {
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 60_000);
    await log().append(hot.sessionId, NOTHING, ['a']);
    expect(Math.abs(log().estimateRedisTimeMs() - now())).toBeLessThan(5_000);
    clock.mockRestore();
    const [entry] = await log().read(hot.sessionId);
    await log().append(hot.sessionId, { version: 1, lastId: entry?.id ?? '' }, ['b']);
    expect(Math.abs(log().estimateRedisTimeMs() - now())).toBeLessThan(5_000);
  });

  it('refuses an append to a stream that has lost an entry before its last one', async () => {
    const first = await log().append(hot.sessionId, NOTHING, ['a', 'b']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    const [lost = '', lastId = ''] = first.ids;
    await hot.store.redis.xdel(hot.getKeys().stream(hot.sessionId), lost);
    expect(await log().append(hot.sessionId, { version: 2, lastId }, ['c'])).toMatchObject({
      kind: 'behind',
      version: 1,
    });
  });
});
