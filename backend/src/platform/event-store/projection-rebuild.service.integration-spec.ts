// Uses a real PostgreSQL.
import {
  createTestEventStore,
  createStreamId,
  createNoted,
  notesProjection,
  createSigned,
  type TestEventStore,
} from '../../testing/test-event-store.harness';
import { ProjectionRebuildService } from './projection-rebuild.service';
import { ProjectionRegistry } from './projection.registry';

jest.setTimeout(30_000);

describe('a rebuild of the read models', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await createTestEventStore();
    await store.eventStore.append(createStreamId(), 'none', [createNoted('first'), createNoted('second')]);
    await store.eventStore.append(createStreamId(), 'none', [createSigned(7, 'Ada')]);
  });
  afterAll(() => store.close());

  it('restores missing rows and removes rows without an event', async () => {
    const before = await store.readRows('notes');
    await store.dataSource.query('DELETE FROM notes WHERE stream_position = 1');
    await store.dataSource.query(`INSERT INTO notes VALUES (999999, 'note-x', 1, 'without an event')`);
    const count = await store.rebuilder.rebuild();
    expect(count).toBe((await store.readRows('events')).length);
    expect(await store.readRows('notes')).toEqual(before);
  });

  it('loses no event that is appended concurrently', async () => {
    const streamId = createStreamId();
    const appends = Array.from({ length: 10 }, (_, index) =>
      store.eventStore.append(streamId, 'any', [createNoted(`concurrent ${index}`)]),
    );
    await Promise.all([store.rebuilder.rebuild(), ...appends]);
    expect(await store.readRows('notes', streamId)).toHaveLength(10);
  });

  it('leaves the read models unchanged when it fails', async () => {
    const before = await store.readRows('notes');
    const failingProjections = new ProjectionRegistry();
    failingProjections.register({
      ...notesProjection,
      apply: async () => {
        throw new Error('projection failed');
      },
    });
    const rebuilder = new ProjectionRebuildService(store.dataSource, store.eventStore, failingProjections);
    await expect(rebuilder.rebuild()).rejects.toThrow('projection failed');
    expect(await store.readRows('notes')).toEqual(before);
  });
});
