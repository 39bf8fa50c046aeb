import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { UserEvent } from '../domain/user.events';
import { UserEntity } from '../infrastructure/user.entity';

const personalFields: Record<UserEvent['type'], readonly string[]> = {
  UserRegistered: ['username', 'email'],
  AnonymousUserStarted: ['username'],
  GenderChosen: [],
  ProfileChanged: ['username', 'avatar'],
  AccountConverted: ['email'],
  EmailChanged: ['email'],
};

const types = Object.keys(personalFields) as UserEvent['type'][];

export const userEventTypes: readonly EventTypeDefinition[] = types.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: personalFields[type],
  subjectId: ({ userId }) => (typeof userId === 'number' ? userId : null),
}));

type StoredUserEvent = StoredEvent & UserEvent;

const project = async (event: StoredUserEvent, manager: EntityManager): Promise<void> => {
  const { userId } = event.data;
  switch (event.type) {
    case 'UserRegistered':
    case 'AnonymousUserStarted':
      await manager.insert(UserEntity, {
        id: userId,
        username: event.data.username,
        email: event.type === 'UserRegistered' ? event.data.email : null,
        isAnonymous: event.type === 'AnonymousUserStarted',
        createdAt: event.occurredAt,
      });
      return;
    case 'GenderChosen':
      await manager.update(UserEntity, userId, { gender: event.data.gender });
      return;
    case 'ProfileChanged':
      await manager.update(UserEntity, userId, { username: event.data.username, avatar: event.data.avatar });
      return;
    case 'AccountConverted':
      await manager.update(UserEntity, userId, { email: event.data.email, isAnonymous: false });
      return;
    case 'EmailChanged':
      await manager.update(UserEntity, userId, { email: event.data.email });
      return;
    default:
      return event satisfies never;
  }
};

/** Takes the address from its previous owner: in a rebuild, the event with which they give it up may come later. */
const releaseEmail = async (event: StoredUserEvent, manager: EntityManager): Promise<void> => {
  const { userId, email } = event.data as { userId: number; email?: string };
  if (!email) return;
  await manager.query('UPDATE users SET email = NULL WHERE lower(email) = lower($1) AND id <> $2', [
    email,
    userId,
  ]);
};

export const usersProjection: Projection = {
  name: 'users',
  tables: ['users'],
  handles: types,
  async apply(events, manager, isRebuild) {
    for (const event of events) {
      if (isRebuild) await releaseEmail(event as StoredUserEvent, manager);
      await project(event as StoredUserEvent, manager);
    }
  },
};
