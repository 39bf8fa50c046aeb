import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { UserEvent } from '../domain/user.events';
import { UserEntity } from '../infrastructure/user.entity';

/** The personal fields of each event type. They are stored separately from the log, so that they can be erased. */
const personalFields: Record<UserEvent['type'], readonly string[]> = {
  UserRegistered: ['username', 'email'],
  AnonymousUserStarted: ['username'],
  GenderChosen: ['gender'],
  ProfileChanged: ['username', 'avatar'],
  AccountConverted: ['email'],
  EmailChanged: ['email'],
  ModeratorAppointed: [],
  ModeratorDismissed: [],
  ErasureRequested: [],
  PersonErased: [],
};

const eventTypes = Object.keys(personalFields) as UserEvent['type'][];

export const userEventTypes: readonly EventTypeDefinition[] = eventTypes.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: personalFields[type],
  subjectId: ({ userId }) => (typeof userId === 'number' ? userId : null),
}));

type StoredUserEvent = StoredEvent & UserEvent;

/** Applies one event to the table `users`. In a rebuild, personal fields that were erased are absent. */
const projectEvent = async (event: StoredUserEvent, manager: EntityManager): Promise<void> => {
  const { userId } = event.data;
  switch (event.type) {
    case 'UserRegistered':
    case 'AnonymousUserStarted':
      await manager.insert(UserEntity, {
        id: userId,
        username: event.data.username ?? '',
        email: event.type === 'UserRegistered' ? (event.data.email ?? null) : null,
        isAnonymous: event.type === 'AnonymousUserStarted',
        createdAt: event.occurredAt,
      });
      return;
    case 'GenderChosen':
      await manager.update(UserEntity, userId, { gender: event.data.gender ?? null });
      return;
    case 'ProfileChanged':
      await manager.update(UserEntity, userId, {
        username: event.data.username ?? '',
        avatar: event.data.avatar ?? null,
      });
      return;
    case 'AccountConverted':
      await manager.update(UserEntity, userId, { email: event.data.email ?? null, isAnonymous: false });
      return;
    case 'EmailChanged':
      await manager.update(UserEntity, userId, { email: event.data.email ?? null });
      return;
    case 'ModeratorAppointed':
    case 'ModeratorDismissed':
      await manager.update(UserEntity, userId, { isModerator: event.type === 'ModeratorAppointed' });
      return;
    case 'ErasureRequested':
      await manager.delete(UserEntity, userId);
      return;
    case 'PersonErased':
      // `ErasureRequested` has deleted the row already.
      return;
    default:
      return event satisfies never;
  }
};

/**
 * Removes the e-mail address of an event from any other user. In a rebuild, the event of an address's new owner may
 * precede the event in which the previous owner gives it up, because positions in the log are assigned before the
 * commit.
 */
const removeEmailFromOtherUsers = async (event: StoredUserEvent, manager: EntityManager): Promise<void> => {
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
  handles: eventTypes,
  async apply(events, manager, isRebuild) {
    for (const event of events) {
      if (isRebuild) await removeEmailFromOtherUsers(event as StoredUserEvent, manager);
      await projectEvent(event as StoredUserEvent, manager);
    }
  },
};
