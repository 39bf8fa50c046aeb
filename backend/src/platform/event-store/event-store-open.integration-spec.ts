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

// `open` writes the first event of a stream and the rows of one projection with one statement.
describe('opening a stream', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
  });
  afterAll(() => store.close());

  const open = (streamId: string, event: NewEvent, outcome: 'new' | 'repeated' | 'refused' = 'new') => {
    // A `Noted` event has a note, and a `Signed` event has a name.
    const { note, name } = event.data as { note?: string; name?: string };
    return store.eventStore.open<{ outcome: string }>({
      statement: openNoteStatement,
      projection: 'notes',
      event,
      parameters: [streamId, outcome, note ?? name],
    });
  };

  it('writes the event with the fields that the statement assigns, and returns the row', async () => {
    const streamId = createStreamId();
    expect(await open(streamId, createSigned(7, 'Ada'))).toMatchObject({ outcome: 'new' });
    expect(await store.eventStore.read(streamId)).toMatchObject([
      { streamPosition: 1, type: 'Signed', data: { userId: 7, name: 'Ada', outcome: 'new' } },
    ]);
  });

  it('writes the personal data, which expires a minute after the event, and the read model', async () => {
    const streamId = createStreamId();
    await open(streamId, createSigned(7, 'Ada'));
    expect(await store.readRows('event_private', streamId)).toMatchObject([
      { subject_id: '7', expires_at: new Date('2026-11-20T12:01:00Z') },
    ]);
    expect(await store.readRows('notes', streamId)).toMatchObject([{ note: 'Ada' }]);
  });

  it('leaves the stream at version 1, so that a second event can be appended', async () => {
    const streamId = createStreamId();
    await open(streamId, createNoted('a'));
    expect(await store.eventStore.append(streamId, 1, [createNoted('b')])).toMatchObject([
      { streamPosition: 2 },
    ]);
  });

  it.each([
    {
      description: 'was executed before',
      outcome: 'repeated',
      returned: expect.objectContaining({ outcome: 'repeated' }) as unknown,
    },
    { description: 'is refused', outcome: 'refused', returned: null },
  ] as const)('writes nothing for a command that $description', async ({ outcome, returned }) => {
    const streamId = createStreamId();
    expect(await open(streamId, createNoted('a!'), outcome)).toEqual(returned);
    for (const table of ['events', 'event_streams', 'event_private', 'notes', 'exclamations']) {
      expect(await store.readRows(table, streamId)).toEqual([]);
    }
  });

  // The projection of exclamations handles the notes that contain "!".
  it('runs the other projections that the event concerns', async () => {
    const streamId = createStreamId();
    await open(streamId, createNoted('hey!'));
    // This projection also writes the outcome, which the statement has assigned.
    expect(await store.readRows('exclamations', streamId)).toEqual([
      { stream_id: streamId, note: 'hey! new' },
    ]);
    expect(await store.readRows('notes', streamId)).toMatchObject([{ note: 'hey!' }]);
  });

  it('writes nothing when one of the other projections fails', async () => {
    const streamId = createStreamId();
    await expect(open(streamId, createNoted('refuse!'))).rejects.toThrow('refused');
    for (const table of ['events', 'event_streams', 'notes']) {
      expect(await store.readRows(table, streamId)).toEqual([]);
    }
  });

  it('refuses a stream that already exists', async () => {
    const streamId = createStreamId();
    await store.eventStore.append(streamId, 'none', [createNoted('first')]);
    await expect(open(streamId, createNoted('a'))).rejects.toThrow();
    expect(await store.readRows('events', streamId)).toHaveLength(1);
  });
});
