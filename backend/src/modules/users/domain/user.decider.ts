import { DomainError } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type { UserCommand } from './user.commands';
import type { UserEvent } from './user.events';
import { createInitialUser, evolveUser, type UserState } from './user.state';
import { parseUsername } from './username.rules';

/** A user exists until their erasure is requested. */
const requireExisting = (state: UserState): void => {
  if (state.kind !== 'anonymous' && state.kind !== 'registered') throw new DomainError('not_found');
};

/** Throws a plain Error, because a taken id is a bug: the ids of new users come from a sequence. */
const requireAbsent = (state: UserState): void => {
  if (state.kind !== 'absent') throw new Error('The user id is taken');
};

const requireRegistered = (state: UserState): void => {
  requireExisting(state);
  if (state.kind !== 'registered') throw new DomainError('forbidden');
};

const decide = (command: UserCommand, state: UserState): readonly UserEvent[] => {
  const { userId, eventId } = command;
  const eventBase = { eventId, occurredAt: command.at };
  switch (command.type) {
    case 'RegisterUser': {
      requireAbsent(state);
      const { username, email } = command;
      return [{ ...eventBase, type: 'UserRegistered', data: { userId, username, email } }];
    }
    case 'StartAnonymousUser':
      requireAbsent(state);
      return [{ ...eventBase, type: 'AnonymousUserStarted', data: { userId, username: command.username } }];
    case 'ChooseGender':
      requireExisting(state);
      if (state.gender !== null) throw new DomainError('gender_already_set');
      return [{ ...eventBase, type: 'GenderChosen', data: { userId, gender: command.gender } }];
    case 'ChangeProfile': {
      requireExisting(state);
      const username = parseUsername(command.username);
      if (username === null) throw new DomainError('validation_failed');
      const { avatar } = command;
      if (username === state.username && avatar === state.avatar) return [];
      return [{ ...eventBase, type: 'ProfileChanged', data: { userId, username, avatar } }];
    }
    case 'ConvertAccount':
      requireExisting(state);
      if (state.kind !== 'anonymous') throw new DomainError('not_anonymous');
      return [{ ...eventBase, type: 'AccountConverted', data: { userId, email: command.email } }];
    case 'ChangeEmail':
      requireRegistered(state);
      if (command.email === state.email) return [];
      return [{ ...eventBase, type: 'EmailChanged', data: { userId, email: command.email } }];
    case 'AppointModerator':
      requireRegistered(state);
      if (state.isModerator) return [];
      return [{ ...eventBase, type: 'ModeratorAppointed', data: { userId } }];
    case 'DismissModerator':
      requireExisting(state);
      if (!state.isModerator) return [];
      return [{ ...eventBase, type: 'ModeratorDismissed', data: { userId } }];
    case 'RequestErasure': {
      requireExisting(state);
      const { erasureId, reason } = command;
      return [{ ...eventBase, type: 'ErasureRequested', data: { userId, erasureId, reason } }];
    }
    case 'CompleteErasure': {
      // The job that erases users repeats this command after an interruption.
      if (state.kind === 'erased') return [];
      if (state.kind !== 'leaving') throw new Error('The erasure was not requested');
      const { erasureId, counts } = command;
      return [{ ...eventBase, type: 'PersonErased', data: { userId, erasureId, counts } }];
    }
    default:
      return command satisfies never;
  }
};

export const userDecider: Decider<UserState, UserCommand, UserEvent> = {
  initialState: createInitialUser,
  evolve: evolveUser,
  decide,
};
