// Uses real PostgreSQL.
import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { UserEntity } from './infrastructure/user.entity';
import { userEventTypes, usersProjection } from './projections/users.projection';

describe('rebuild of the read model `users`', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ entities: [UserEntity] });
  });
  afterAll(() => database.close());

  it('restores the same rows when an email address has a new owner before its previous owner gives it up', async () => {
    const eventTypes = new EventTypeRegistry();
    eventTypes.register(userEventTypes);
    const projections = new ProjectionRegistry();
    const store = new EventStoreRepository(database.dataSource, eventTypes, projections);
    const createEvent = (type: string, userId: number, email: string) => ({
      eventId: randomUUID(),
      type,
      data: { userId, email, ...(type === 'UserRegistered' ? { username: `user ${userId}` } : {}) },
      occurredAt: new Date(),
    });
    // Simulates two concurrent commands: user 1 gives up an email address, and user 2 registers with it. When this
    // projection runs, the event of user 2 has its position, but `usersProjection` has not inserted the row of user 2
    // yet. So the event of user 1 gets the later position, although its row changes first.
    projections.register({
      name: 'give-up-address',
      tables: [],
      handles: ['UserRegistered'],
      concerns: ({ data }) => (data as { userId: number }).userId === 2,
      apply: async (_events, _manager, isRebuild) => {
        if (!isRebuild) await store.append('user-1', 1, [createEvent('EmailChanged', 1, 'new@example.org')]);
      },
    });
    projections.register(usersProjection);
    await store.append('user-1', 'none', [createEvent('UserRegistered', 1, 'shared@example.org')]);
    await store.append('user-2', 'none', [createEvent('UserRegistered', 2, 'shared@example.org')]);

    const readUsers = () => database.dataSource.query('SELECT * FROM users ORDER BY id');
    const usersBefore = await readUsers();
    const rebuilder = new ProjectionRebuildService(database.dataSource, store, projections);
    const appliedEvents = await rebuilder.rebuild();
    expect(appliedEvents).toBe(3); // two registrations and one change of address
    expect(await readUsers()).toEqual(usersBefore);
    expect(usersBefore).toMatchObject([{ email: 'new@example.org' }, { email: 'shared@example.org' }]);
  });
});
