import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { findGame, patchGame } from '@/features/random-chat/icebreaker/game-events';
import {
  findActiveSession,
  stepTo,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

// The user's moves in Break the Ice, an answer or Ignore, until the server has responded.

/**
 * Shows the move at once and locks the options, because an answer is final (docs/product-decisions.md, A75).
 * @param response the chosen option; null for Ignore
 */
const applyMove = (session: Session, gameId: string, response: string | null): Session => {
  const game = findGame(session, gameId);
  if (game?.progress !== 'open') return session;
  if (response !== null && !game.options.includes(response)) return session;
  return patchGame(session, gameId, { userResponse: response, progress: 'sending' });
};

/**
 * Opens the options again after a failed move, unless a later event has changed the game.
 * @param isRefused whether the server has refused the move, whose choice is then cleared. Otherwise the move may have
 *   arrived, so its choice stays marked.
 */
const undoMove = (session: Session, gameId: string, isRefused: boolean): Session => {
  const game = findGame(session, gameId);
  if (game?.progress === 'sending') {
    return patchGame(session, gameId, {
      progress: 'open',
      userResponse: isRefused ? null : game.userResponse,
    });
  }
  // The server has stored an answer of the user from another tab, which may differ from the refused one.
  return game?.progress === 'answered' && isRefused
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
      : undoMove(session, action.gameId, action.isRefused); // `gameMoveFailed`
  return after === session ? stepTo(state) : stepTo({ ...state, session: after });
};
