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

  interface CountCommand {
    eventId: string;
  }

  /** The state is the number of events. A command appends one event, or none when the limit has been reached. */
  const counter: Decider<number, CountCommand, NewEvent | StoredEvent> = {
    initialState: () => 0,
    evolve: (count) => count + 1,
    decide: ({ eventId }, count) =>
      count >= COUNT_LIMIT ? [] : [createNoted(`count ${count + 1}`, eventId)],
  };

  it('decides again after a version conflict', async () => {
    const streamId = createStreamId();
    // A command has a conflict only when another one has appended. So none of `MAX_ATTEMPTS` commands has as many
    // conflicts as attempts.
    const results = await Promise.allSettled(
      Array.from({ length: MAX_ATTEMPTS }, () =>
        store.executor.execute(streamId, counter, { eventId: randomUUID() }),
      ),
    );
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await store.eventStore.read(streamId)).toHaveLength(COUNT_LIMIT);
  });

  it('does not fold events of a newer release, and appends after them', async () => {
    const streamId = createStreamId();
    await store.eventStore.append(streamId, 'none', [createNoted('one'), createNoted('two')]);
    const read = store.eventStore.read.bind(store.eventStore);
    const readAsIfNewer = jest.spyOn(store.eventStore, 'read').mockImplementation(async (...parameters) => {
      const [first, second] = await read(...parameters);
      return [
        { ...first!, type: 'UnknownType', schemaVersion: 1 },
        { ...second!, schemaVersion: 4 }, // this build declares version 3 of `Noted`
      ];
    });
    const { state, events } = await store.executor.execute(streamId, counter, { eventId: randomUUID() });
    readAsIfNewer.mockRestore();
    expect(state).toBe(1); // counts only the new event
    expect(events).toMatchObject([{ streamPosition: 3, data: { note: 'count 1' } }]);
  });

  it('executes a first command without loading the stream', async () => {
    const streamId = createStreamId();
    const read = jest.spyOn(store.eventStore, 'read');
    const first = await store.executor.executeFirst(streamId, counter, { eventId: randomUUID() });
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(first).toMatchObject({ state: 1, events: [{ streamPosition: 1 }] });
  });

  it('throws a conflict, without loading the stream, when a first command finds that the stream exists', async () => {
    const streamId = createStreamId();
    await store.executor.executeFirst(streamId, counter, { eventId: randomUUID() });
    const read = jest.spyOn(store.eventStore, 'read');
    const second = store.executor.executeFirst(streamId, counter, { eventId: randomUUID() });
    await expect(second).rejects.toThrow(StreamVersionConflictError);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(await store.eventStore.read(streamId)).toHaveLength(1);
  });

  it('retries the whole transaction after a version conflict', async () => {
    const streamId = createStreamId();
    let attempts = 0;
    await store.executor.runInTransaction(async (manager) => {
      attempts += 1;
      const history = await store.eventStore.read(streamId, manager);
      const isFirstAttempt = attempts === 1;
      // Another writer, outside the transaction, appends after the read.
      if (isFirstAttempt) await store.eventStore.append(streamId, 'none', [createNoted('concurrent')]);
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
