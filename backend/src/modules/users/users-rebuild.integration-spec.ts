// Real: PostgreSQL.
import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { UserEntity } from './infrastructure/user.entity';
import { userEventTypes, usersProjection } from './projections/users.projection';

describe('a rebuild of the users', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ entities: [UserEntity] });
  });
  afterAll(() => database.close());

  it('succeeds when an address is passed on while the event of its new owner is being stored', async () => {
    const eventTypes = new EventTypeRegistry();
    eventTypes.register(userEventTypes);
    const projections = new ProjectionRegistry();
    const store = new EventStoreRepository(database.dataSource, eventTypes, projections);
    const event = (type: string, userId: number, email: string) => ({
      eventId: randomUUID(),
      type,
      data: { userId, email, ...(type === 'UserRegistered' ? { username: `user ${userId}` } : {}) },
      occurredAt: new Date(),
    });
    // User 2 registers with the address of user 1. User 1 gives it up after that event has got its position, so the log
    // has the two events in the wrong order.
    projections.register({
      name: 'meanwhile',
      tables: [],
      handles: ['UserRegistered'],
      concerns: ({ data }) => (data as { userId: number }).userId === 2,
      apply: async (_events, _manager, isRebuild) => {
        if (!isRebuild) await store.append('user-1', 1, [event('EmailChanged', 1, 'new@example.org')]);
      },
    });
    projections.register(usersProjection);
    await store.append('user-1', 'none', [event('UserRegistered', 1, 'shared@example.org')]);
    await store.append('user-2', 'none', [event('UserRegistered', 2, 'shared@example.org')]);

    const users = () => database.dataSource.query('SELECT * FROM users ORDER BY id');
    const before = await users();
    const rebuilder = new ProjectionRebuildService(database.dataSource, store, projections);
    expect(await rebuilder.rebuild()).toBe(3);
    expect(await users()).toEqual(before);
    expect(before).toMatchObject([{ email: 'new@example.org' }, { email: 'shared@example.org' }]);
  });
});
