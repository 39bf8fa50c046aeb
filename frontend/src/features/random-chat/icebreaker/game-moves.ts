import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { findGame, patchGame } from '@/features/random-chat/icebreaker/game-events';
import {
  findActiveSession,
  stepTo,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

/** The user's moves in Break the Ice, before the server has answered. */

/** Shown at once, and final: the options are locked from here on (A75). */
const applyMove = (session: Session, gameId: string, response: string | null): Session => {
  const card = findGame(session, gameId);
  if (card?.progress !== 'open') return session;
  if (response !== null && !card.options.includes(response)) return session;
  return patchGame(session, gameId, { userResponse: response, progress: 'sending' });
};

/**
 * The move was refused, interrupted or not answered: the card is open again, unless the game has moved on. An
 * interrupted move may have arrived, so the choice stays marked; a refused one is cleared, because another tab of this
 * user was first.
 */
const undoMove = (session: Session, gameId: string, isRefused: boolean): Session => {
  const card = findGame(session, gameId);
  if (card?.progress === 'sending') {
    return patchGame(session, gameId, {
      progress: 'open',
      userResponse: isRefused ? null : card.userResponse,
    });
  }
  return card?.progress === 'answered' && isRefused
    ? patchGame(session, gameId, { userResponse: null })
    : session;
};

export const handleGameAction = (state: RandomChatState, action: GameAction): Step => {
  if (action.type === 'celebrationEnded') {
    return state.session?.celebratedGame?.gameId === action.gameId
      ? stepTo({ ...state, session: { ...state.session, celebratedGame: null } })
      : stepTo(state);
  }
  const session = findActiveSession(state, action.sessionId);
  if (!session) return stepTo(state);
  const after =
    action.type === 'gameMoved'
      ? applyMove(session, action.gameId, action.response)
      : undoMove(session, action.gameId, action.isRefused);
  return after === session ? stepTo(state) : stepTo({ ...state, session: after });
};
