// Uses real PostgreSQL.
import {
  createTestEventStore,
  createStreamId,
  createNoted,
  openNoteStatement,
  createSigned,
  type TestEventStore,
} from '../../testing/test-event-store.harness';
import type { NewEvent } from './stored-event.types';

jest.setTimeout(30_000);

describe('opening a stream', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
  });
  afterAll(() => store.close());

  /**
   * Opens a stream with one statement, which writes the event and the row of `notes`.
   * @param number a text that the statement adds to the data of the event and returns. Two texts have a meaning:
   * `repeated` stands for a command that was executed before, and `refused` for one that is refused.
   */
  const open = (streamId: string, number: string, event: NewEvent) => {
    const { note, name } = event.data as { note?: string; name?: string };
    return store.eventStore.open<{ number: string }>({
      statement: openNoteStatement,
      projection: 'notes',
      event,
      parameters: [streamId, number, note ?? name],
    });
  };

  it('writes the event with the number, its personal data and the read model, and returns the row', async () => {
    const streamId = createStreamId();
    expect(await open(streamId, '1', createSigned(7, 'Ada'))).toMatchObject({ number: '1' });
    expect(await store.eventStore.read(streamId)).toMatchObject([
      { streamPosition: 1, type: 'Signed', data: { userId: 7, name: 'Ada', number: '1' } },
    ]);
    const [personal] = await store.readRows('event_private', streamId);
    // The expiry is a minute after the event.
    expect(personal).toMatchObject({ subject_id: '7', expires_at: new Date('2026-11-20T12:01:00Z') });
    expect(await store.readRows('notes', streamId)).toMatchObject([{ note: 'Ada' }]);
    expect(await store.eventStore.append(streamId, 1, [createNoted('b')])).toMatchObject([
      { streamPosition: 2 },
    ]);
  });

  it.each([
    { number: 'repeated', description: 'was executed before', returned: 'repeated' },
    { number: 'refused', description: 'is refused', returned: null },
  ])('writes nothing for a command that $description', async ({ number, returned }) => {
    const streamId = createStreamId();
    const row = await open(streamId, number, createNoted('a!'));
    expect(row?.number ?? null).toBe(returned);
    for (const table of ['events', 'event_streams', 'event_private', 'notes', 'exclamations']) {
      expect(await store.readRows(table, streamId)).toEqual([]);
    }
  });

  it('runs the other projections that the event concerns, and writes nothing when one of them fails', async () => {
    // The projection of exclamations handles notes that contain "!". It appends the number to the note, and throws for
    // a note that contains "refuse".
    const streamId = createStreamId();
    await open(streamId, '2', createNoted('hey!'));
    expect(await store.readRows('exclamations', streamId)).toEqual([{ stream_id: streamId, note: 'hey! 2' }]);
    expect(await store.readRows('notes', streamId)).toMatchObject([{ note: 'hey!' }]);
    const refusedStreamId = createStreamId();
    await expect(open(refusedStreamId, '3', createNoted('refuse!'))).rejects.toThrow('refused');
    for (const table of ['events', 'event_streams', 'notes']) {
      expect(await store.readRows(table, refusedStreamId)).toEqual([]);
    }
  });

  it('refuses a stream that already exists', async () => {
    const streamId = createStreamId();
    await store.eventStore.append(streamId, 'none', [createNoted('first')]);
    await expect(open(streamId, '4', createNoted('a'))).rejects.toThrow();
    expect(await store.readRows('events', streamId)).toHaveLength(1);
  });
});
