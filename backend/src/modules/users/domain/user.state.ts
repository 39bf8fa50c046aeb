import type { Gender } from '@thaw/contract/scalars';
import type { UserEvent } from './user.events';

export interface UserState {
  /** `absent`: the user does not exist yet; `leaving`: their erasure was requested; `erased`: it is complete. */
  kind: 'absent' | 'anonymous' | 'registered' | 'leaving' | 'erased';
  username: string;
  avatar: string | null;
  email: string | null;
  gender: Gender | null;
  isModerator: boolean;
}

export const createInitialUser = (): UserState => ({
  kind: 'absent',
  username: '',
  avatar: null,
  email: null,
  gender: null,
  isModerator: false,
});

/**
 * Applies an event to the state. An erasure removes the personal fields from stored events; `?? ''` and `?? null` stand
 * in for them.
 */
export const evolveUser = (state: UserState, event: UserEvent): UserState => {
  switch (event.type) {
    case 'UserRegistered':
      return {
        ...state,
        kind: 'registered',
        username: event.data.username ?? '',
        email: event.data.email ?? null,
      };
    case 'AnonymousUserStarted':
      return { ...state, kind: 'anonymous', username: event.data.username ?? '' };
    case 'GenderChosen':
      return { ...state, gender: event.data.gender ?? null };
    case 'ProfileChanged':
      return { ...state, username: event.data.username ?? '', avatar: event.data.avatar ?? null };
    case 'AccountConverted':
      return { ...state, kind: 'registered', email: event.data.email ?? null };
    case 'EmailChanged':
      return { ...state, email: event.data.email ?? null };
    case 'ModeratorAppointed':
      return { ...state, isModerator: true };
    case 'ModeratorDismissed':
      return { ...state, isModerator: false };
    case 'ErasureRequested':
      return { ...createInitialUser(), kind: 'leaving' };
    case 'PersonErased':
      return { ...createInitialUser(), kind: 'erased' };
    default:
      return event satisfies never;
  }
};
