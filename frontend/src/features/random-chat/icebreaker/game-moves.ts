import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { cardOf, withCard } from '@/features/random-chat/icebreaker/game-events';
import {
  activeSession,
  stay,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

/** The user's moves in Break the Ice, before the server has answered. */

/** Shown at once, and final: the options are locked from here on (A75). */
const moved = (session: Session, gameId: string, response: string | null): Session => {
  const card = cardOf(session, gameId);
  if (card?.progress !== 'open') return session;
  if (response !== null && !card.options.includes(response)) return session;
  return withCard(session, gameId, { userResponse: response, progress: 'sending' });
};

/**
 * The move was refused, interrupted or not answered: the card is open again, unless the game has moved on. An
 * interrupted move may have arrived, so the choice stays marked; a refused one is cleared, because another tab of this
 * user was first.
 */
const moveFailed = (session: Session, gameId: string, isRefused: boolean): Session => {
  const card = cardOf(session, gameId);
  if (card?.progress === 'sending') {
    return withCard(session, gameId, {
      progress: 'open',
      userResponse: isRefused ? null : card.userResponse,
    });
  }
  return card?.progress === 'answered' && isRefused
    ? withCard(session, gameId, { userResponse: null })
    : session;
};

export const played = (state: RandomChatState, action: GameAction): Step => {
  if (action.type === 'celebrated') {
    return state.session?.celebrates?.gameId === action.gameId
      ? stay({ ...state, session: { ...state.session, celebrates: null } })
      : stay(state);
  }
  const session = activeSession(state, action.sessionId);
  if (!session) return stay(state);
  const after =
    action.type === 'gameMoved'
      ? moved(session, action.gameId, action.response)
      : moveFailed(session, action.gameId, action.isRefused);
  return after === session ? stay(state) : stay({ ...state, session: after });
};
