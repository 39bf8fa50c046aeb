import { DomainError } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type { UserCommand } from './user.commands';
import type { UserEvent } from './user.events';
import { evolveUser, initialUser, type UserState } from './user.state';
import { acceptableUsername } from './username.rules';

const requireExisting = (state: UserState): void => {
  if (state.kind === 'absent') throw new DomainError('not_found');
};

const requireNew = (state: UserState): void => {
  if (state.kind !== 'absent') throw new Error('This user id is taken');
};

const requireRegistered = (state: UserState): void => {
  requireExisting(state);
  if (state.kind !== 'registered') throw new DomainError('forbidden');
};

const decide = (command: UserCommand, state: UserState): readonly UserEvent[] => {
  const { userId, eventId } = command;
  const made = { eventId, occurredAt: command.at };
  switch (command.type) {
    case 'RegisterUser': {
      requireNew(state);
      const { username, email } = command;
      return [{ ...made, type: 'UserRegistered', data: { userId, username, email } }];
    }
    case 'StartAnonymousUser':
      requireNew(state);
      return [{ ...made, type: 'AnonymousUserStarted', data: { userId, username: command.username } }];
    case 'ChooseGender':
      requireExisting(state);
      if (state.gender !== null) throw new DomainError('gender_already_set');
      return [{ ...made, type: 'GenderChosen', data: { userId, gender: command.gender } }];
    case 'ChangeProfile': {
      requireExisting(state);
      const username = acceptableUsername(command.username);
      if (username === null) throw new DomainError('validation_failed');
      const { avatar } = command;
      if (username === state.username && avatar === state.avatar) return [];
      return [{ ...made, type: 'ProfileChanged', data: { userId, username, avatar } }];
    }
    case 'ConvertAccount':
      requireExisting(state);
      if (state.kind !== 'anonymous') throw new DomainError('not_anonymous');
      return [{ ...made, type: 'AccountConverted', data: { userId, email: command.email } }];
    case 'ChangeEmail':
      requireRegistered(state);
      if (command.email === state.email) return [];
      return [{ ...made, type: 'EmailChanged', data: { userId, email: command.email } }];
    default:
      return command satisfies never;
  }
};

export const userDecider: Decider<UserState, UserCommand, UserEvent> = {
  initialState: initialUser,
  evolve: evolveUser,
  decide,
};
