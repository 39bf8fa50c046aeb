// Uses a real Redis. `hotLog` has a new chat of the users 1 and 2 for each test, repositories with separate connections
// (`logs`), and the messages that were published to the replicas r1, r2 and r3.
import { ModulesContainer } from '@nestjs/core';
import { until } from '../../testing/until.functions';
import { useTestHotLog } from '../../testing/test-hot-log.harness';
import { ProcessEventsService } from '../process-events/process-events.service';
import { findShard } from '../redis/redis.keys';
import {
  type AppendOptions,
  type ChatLogEntry,
  ChatLogRepository,
  type StreamEnd,
} from './chat-log.repository';
import { OUTBOX_MAX_ENTRIES } from './outbox.scripts';

const END_OF_EMPTY_STREAM: StreamEnd = { version: 0, lastId: '' };
const GRACE_MS = 1_000;
const WRITER_COUNT = 30;

/** The end of a stream that consists of the entries with these ids. */
const endAfter = (ids: readonly string[]): StreamEnd => ({ version: ids.length, lastId: ids.at(-1) ?? '' });

describe('ChatLogRepository', () => {
  const hotLog = useTestHotLog();
  const log = () => hotLog.logs[0]!;

  /** Appends events to the chat, of which the caller expects this end. */
  const append = (end: StreamEnd, events: readonly string[], options?: AppendOptions) =>
    log().append(hotLog.sessionId, end, events, options);

  /** Appends the first events of the chat. @returns the ids of their entries */
  const appendFirst = async (
    events: readonly string[],
    options?: AppendOptions,
  ): Promise<readonly string[]> => {
    const result = await append(END_OF_EMPTY_STREAM, events, options);
    if (result.kind !== 'appended') throw new Error(result.kind);
    return result.ids;
  };

  /** Appends three events in two calls. @returns the entries of the stream */
  const appendThree = async (): Promise<ChatLogEntry[]> => {
    const ids = await appendFirst(['a', 'b c']);
    await append(endAfter(ids), ['c']);
    return log().read(hotLog.sessionId);
  };

  /** The events that were published to a replica. A message is `<version> <entry id> <event>`. */
  const listPublished = (replicaId: string) => {
    const messages = hotLog.messagesByChannel.get(hotLog.getKeys().channel(replicaId))!;
    return messages.map((message) => message.split(' ')[2]);
  };

  it('appends to the stream in order, and reads it from any entry on', async () => {
    const ids = await appendFirst(['a', 'b c']);
    await append(endAfter(ids), ['c']);
    const entries = await log().read(hotLog.sessionId);
    expect(entries.map(({ text }) => text)).toEqual(['a', 'b c', 'c']);
    expect(await log().read(hotLog.sessionId, ids[0])).toEqual(entries.slice(1));
    expect(await log().readVersions([hotLog.sessionId, 'unknown-session'])).toEqual([3, 0]);
  });

  it('publishes each event with its version and its entry id', async () => {
    await hotLog.enter('r1', 1);
    const entries = await appendThree();
    await until(() => hotLog.messages.length === 3);
    expect(hotLog.messages).toEqual(entries.map(({ id, text }, index) => `${index + 1} ${id} ${text}`));
  });

  it('appends each event to the outbox, with its session and its entry id', async () => {
    const { sessionId } = hotLog;
    const entries = await appendThree();
    const rows = await hotLog.store.redis.xrange(hotLog.getKeys().outbox, '-', '+');
    const fieldsOfChat = rows.map(([, fields]) => fields).filter((fields) => fields.includes(sessionId));
    expect(fieldsOfChat).toEqual(
      entries.map(({ id, text }) => ['session', sessionId, 'entry', id, 'event', text]),
    );
  });

  it('publishes once to each replica that has a socket in the chat, except the replica that appends', async () => {
    await hotLog.enter('r1', 1, 'a');
    await hotLog.enter('r2', 2, 'b');
    await hotLog.enter('r2', 2, 'c');
    await hotLog.enter('r3', 1, 'd');
    await hotLog.getPresence('r3').leave(hotLog.sessionId, 'd', GRACE_MS); // r3 has no other socket
    const ids = await appendFirst(['a'], { exceptReplicaId: 'r1' });
    await append(endAfter(ids), ['b']);
    await until(() => hotLog.messages.length > 0);
    expect(listPublished('r1')).toEqual(['b']);
    expect(listPublished('r2')).toEqual(['a', 'b']);
    expect(listPublished('r3')).toEqual([]);
  });

  it('refuses an append when another replica was faster, and returns the missed entries', async () => {
    const [id] = await appendFirst(['a']);
    expect(await hotLog.logs[1]!.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['b'])).toEqual({
      kind: 'behind',
      version: 1,
      missed: [{ id, text: 'a' }],
    });
    expect(await log().readVersions([hotLog.sessionId])).toEqual([1]);
  });

  it('accepts concurrent appends one after the other and returns missed entries to the others in order', async () => {
    /** Appends an event; if entries were missed, retries after them. @returns the texts up to the event */
    const appendWithRetries = async (writerLog: ChatLogRepository, event: string): Promise<string[]> => {
      const knownEntries: ChatLogEntry[] = [];
      for (;;) {
        const end = endAfter(knownEntries.map(({ id }) => id));
        const result = await writerLog.append(hotLog.sessionId, end, [event]);
        if (result.kind === 'appended') return [...knownEntries.map(({ text }) => text), event];
        if (result.kind !== 'behind') throw new Error(result.kind);
        knownEntries.push(...result.missed);
      }
    };
    await hotLog.enter('r1', 1);
    const textsByWriter = await Promise.all(
      Array.from({ length: WRITER_COUNT }, (_, writer) =>
        appendWithRetries(hotLog.logs[writer % hotLog.logs.length]!, `${writer}`),
      ),
    );
    const texts = (await log().read(hotLog.sessionId)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(WRITER_COUNT);
    for (const seenTexts of textsByWriter) expect(seenTexts).toEqual(texts.slice(0, seenTexts.length));
    await until(() => hotLog.messages.length === WRITER_COUNT);
    expect(listPublished('r1')).toEqual(texts);
  });

  it('refuses an append when the outbox is full', async () => {
    await hotLog.store.redis.eval(
      `for i = 1, ${OUTBOX_MAX_ENTRIES} do redis.call('XADD', KEYS[1], '*', 'session', 'other') end`,
      1,
      hotLog.getKeys().outbox,
    );
    expect(await append(END_OF_EMPTY_STREAM, ['a'])).toEqual({ kind: 'outbox_full' });
    expect(await hotLog.store.redis.exists(hotLog.getKeys().stream(hotLog.sessionId))).toBe(0);
    await hotLog.store.redis.del(hotLog.getKeys().outbox);
    expect(await append(END_OF_EMPTY_STREAM, ['a'])).toMatchObject({ kind: 'appended' });
  });

  it('publishes the process event OutboxBecameNonEmpty only when an append finds the outbox empty', async () => {
    await hotLog.store.redis.del(hotLog.getKeys().outbox);
    const filledShards: number[] = [];
    const events = new ProcessEventsService(new ModulesContainer());
    jest.spyOn(events, 'publish').mockImplementation((name, event) => {
      if (name === 'OutboxBecameNonEmpty' && 'shard' in event) filledShards.push(Number(event.shard));
    });
    const observedLog = new ChatLogRepository(hotLog.clients[0]!, events);
    const first = await observedLog.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['a']);
    if (first.kind !== 'appended') throw new Error(first.kind);
    await observedLog.append(hotLog.sessionId, endAfter(first.ids), ['b']);
    expect(filledShards).toEqual([findShard(hotLog.sessionId)]);
  });

  describe('the end of a chat for a user who must return before a deadline', () => {
    beforeEach(() => hotLog.presence.setDeadlines(hotLog.sessionId, [1, 2], GRACE_MS));

    const makeOverdue = (userId: number) =>
      hotLog.store.redis.zadd(hotLog.getKeys().deadlines, '1', `${hotLog.sessionId}|${userId}`);

    it('is not appended before the deadline', async () => {
      expect(await append(END_OF_EMPTY_STREAM, ['end'], { ifOverdue: { userId: 1 } })).toEqual({
        kind: 'not_overdue',
      });
    });

    it('is appended once after the deadline, although several replicas try', async () => {
      await makeOverdue(1);
      const results = await Promise.all(
        hotLog.logs.map((replicaLog) =>
          replicaLog.append(hotLog.sessionId, END_OF_EMPTY_STREAM, ['end'], { ifOverdue: { userId: 1 } }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    });

    it('is not appended after the return of the user', async () => {
      await makeOverdue(2);
      await hotLog.enter('r1', 2);
      expect(await append(END_OF_EMPTY_STREAM, ['end'], { ifOverdue: { userId: 2 } })).toEqual({
        kind: 'not_overdue',
      });
    });
  });

  it('estimates the time of Redis, whatever the clock of this process shows', async () => {
    // Redis runs on this machine, so its clock shows the real time.
    const realNow = Date.now.bind(Date);
    const expectAccurateEstimate = () =>
      expect(Math.abs(log().estimateRedisTimeMs() - realNow())).toBeLessThan(5_000);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 60_000);
    const ids = await appendFirst(['a']);
    expectAccurateEstimate();
    // When the clock is corrected, the next append measures the difference again.
    clock.mockRestore();
    await append(endAfter(ids), ['b']);
    expectAccurateEstimate();
  });

  it('refuses an append to a stream that has lost an entry before its last one', async () => {
    const ids = await appendFirst(['a', 'b']);
    await hotLog.store.redis.xdel(hotLog.getKeys().stream(hotLog.sessionId), ids[0]!);
    // The last id is as expected, but the version, which is the number of entries, is not.
    expect(await append(endAfter(ids), ['c'])).toMatchObject({ kind: 'behind', version: 1 });
  });
});
