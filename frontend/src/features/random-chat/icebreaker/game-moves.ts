import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { findGame, patchGame } from '@/features/random-chat/icebreaker/game-events';
import {
  findActiveSession,
  patchSession,
  stepTo,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

type MoveFailure = Extract<GameAction, { type: 'gameMoveFailed' }>;

/**
 * Shows the user's move at once and locks the options, because an answer is final (docs/product-decisions.md, A75).
 * @param response the chosen option; null for Ignore
 */
const applyMove = (session: Session, gameId: string, response: string | null): Session => {
  const game = findGame(session, gameId);
  if (game?.progress !== 'open') return session;
  if (response !== null && !game.options.includes(response)) return session;
  return patchGame(session, gameId, { userResponse: response, progress: 'sending' });
};

/** Opens the options again after a failed move, unless a later event has changed the game. */
const undoMove = (session: Session, { gameId, isRefused }: MoveFailure): Session => {
  const game = findGame(session, gameId);
  if (game?.progress === 'sending') {
    // Without a response of the server, the move may have arrived, so the chosen option stays marked.
    const userResponse = isRefused ? null : game.userResponse;
    return patchGame(session, gameId, { progress: 'open', userResponse });
  }
  if (game?.progress === 'answered' && isRefused) {
    // The server has stored an answer from another tab, and this tab does not know which.
    return patchGame(session, gameId, { userResponse: null });
  }
  return session;
};

const changeActiveSession = (
  state: RandomChatState,
  sessionId: string,
  change: (session: Session) => Session,
): Step => {
  const session = findActiveSession(state, sessionId);
  if (!session) return stepTo(state);
  const changed = change(session);
  return stepTo(changed === session ? state : { ...state, session: changed });
};

/** Handles what the page reports about a game. Changes nothing if the game's chat is no longer on the screen. */
export const handleGameAction = (state: RandomChatState, action: GameAction): Step => {
  switch (action.type) {
    case 'gameMoved':
      return changeActiveSession(state, action.sessionId, (session) =>
        applyMove(session, action.gameId, action.response),
      );
    case 'gameMoveFailed':
      return changeActiveSession(state, action.sessionId, (session) => undoMove(session, action));
    case 'celebrationEnded':
      return state.session?.celebratedGame?.gameId === action.gameId
        ? stepTo(patchSession(state, { celebratedGame: null }))
        : stepTo(state);
  }
};
