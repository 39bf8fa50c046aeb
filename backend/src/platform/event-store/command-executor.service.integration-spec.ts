// Uses real PostgreSQL.
import { randomUUID } from 'node:crypto';
import {
  createTestEventStore,
  createStreamId,
  createNoted,
  type TestEventStore,
} from '../../testing/test-event-store.harness';
import { MAX_ATTEMPTS } from './command-executor.service';
import type { Decider } from './decider.types';
import { StreamVersionConflictError } from './event-store.errors';
import type { NewEvent, StoredEvent } from './stored-event.types';

jest.setTimeout(30_000);

const COUNT_LIMIT = 3;

describe('CommandExecutorService', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
  });
  afterAll(() => store.close());

  /** Counts events. A command appends one, or does nothing when the count has reached the limit. */
  const counter: Decider<number, { eventId: string }, NewEvent | StoredEvent> = {
    initialState: () => 0,
    evolve: (count) => count + 1,
    decide: ({ eventId }, count) =>
      count >= COUNT_LIMIT ? [] : [createNoted(`count ${count + 1}`, eventId)],
  };

  it('decides again after a version conflict', async () => {
    const streamId = createStreamId();
    // Each conflict of a command means that another one has appended. With as many commands as attempts, a command has
    // fewer conflicts than attempts.
    const results = await Promise.allSettled(
      Array.from({ length: MAX_ATTEMPTS }, () =>
        store.executor.execute(streamId, counter, { eventId: randomUUID() }),
      ),
    );
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await store.eventStore.read(streamId)).toHaveLength(COUNT_LIMIT);
  });

  it('skips events of a newer release and appends after them', async () => {
    const streamId = createStreamId();
    await store.eventStore.append(streamId, 'none', [createNoted('one'), createNoted('two')]);
    const read = store.eventStore.read.bind(store.eventStore);
    const readNewer = jest.spyOn(store.eventStore, 'read').mockImplementation(async (...parameters) => {
      const [first, second] = await read(...parameters);
      return [
        { ...first!, type: 'UnknownType', schemaVersion: 1 },
        { ...second!, schemaVersion: 4 }, // this build declares version 3 of `Noted`
      ];
    });
    const { state, events } = await store.executor.execute(streamId, counter, { eventId: randomUUID() });
    readNewer.mockRestore();
    expect(state).toBe(1);
    expect(events).toMatchObject([{ streamPosition: 3, data: { note: 'count 1' } }]);
  });

  it('executes a first command without loading the stream, and throws a conflict when the stream exists', async () => {
    const streamId = createStreamId();
    const read = jest.spyOn(store.eventStore, 'read');
    const first = await store.executor.executeFirst(streamId, counter, { eventId: randomUUID() });
    const second = store.executor.executeFirst(streamId, counter, { eventId: randomUUID() });
    await expect(second).rejects.toThrow(StreamVersionConflictError);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(first).toMatchObject({ state: 1, events: [{ streamPosition: 1 }] });
    expect(await store.eventStore.read(streamId)).toHaveLength(1);
  });

  it('retries the whole transaction after a version conflict', async () => {
    const streamId = createStreamId();
    let attempts = 0;
    await store.executor.runInTransaction(async (manager) => {
      attempts += 1;
      const history = await store.eventStore.read(streamId, manager);
      if (attempts === 1) await store.eventStore.append(streamId, 'none', [createNoted('concurrent')]);
      await store.eventStore.append(streamId, history.length, [createNoted('own')], manager);
    });
    expect(attempts).toBe(2);
    expect(await store.eventStore.read(streamId)).toHaveLength(2);
  });

  it('throws the version conflict after the last attempt', async () => {
    let attempts = 0;
    const work = store.executor.runInTransaction(async () => {
      attempts += 1;
      throw new StreamVersionConflictError('note-x', 1);
    });
    await expect(work).rejects.toThrow(StreamVersionConflictError);
    expect(attempts).toBe(MAX_ATTEMPTS);
  });
});
