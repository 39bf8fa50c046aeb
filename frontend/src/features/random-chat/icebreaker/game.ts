import { type ChatMessage, type MessageCard } from '@/chat-ui/chat-message';

/**
 * One game of Break the Ice: one user asks, both choose an answer to the same question, and the answers are revealed
 * once both have chosen.
 */
export interface GameData {
  gameId: string;
  questionId: number;
  question: string;
  options: readonly string[];
  /**
   * The user's answer; `IGNORED_BY_USER` or `IGNORED_BY_PARTNER` if one of them has ignored the game
   * (docs/product-decisions.md, A81); null before that.
   */
  userResponse: string | null;
  /** The partner's answer; null until both have answered. */
  partnerResponse: string | null;
  /** Null until both have answered. */
  sameAnswer: boolean | null;
  /**
   * The state of the game for this user:
   * - `open`: they can answer or ignore it.
   * - `sending`: their answer, or Ignore, is in flight.
   * - `answered`: the game waits for the partner's answer.
   * - `revealed`, `ignored`: the game has ended.
   * - `closed`: the chat has ended before the game.
   */
  progress: 'open' | 'sending' | 'answered' | 'revealed' | 'ignored' | 'closed';
  /** Known earlier than the answer itself, which the server sends only with the reveal (A77). */
  hasPartnerAnswered: boolean;
}

/**
 * A row of Break the Ice in the message list. It is the `card` of a message: the game, not the chat, renders this row.
 * A silent row is not announced to screen readers: `BreakTheIceEffects` announces the reveal.
 */
export type GameRow =
  | { kind: 'break_ice_question'; game: GameData }
  | { kind: 'break_ice_reveal'; game: GameData; isSilent: true }
  | { kind: 'break_ice_waiting' };

const isGameRow = (card: MessageCard): card is GameRow => card.kind.startsWith('break_ice_');

/** The row of a message; undefined for a message that is not part of a game. */
export const readGameRow = ({ card }: Pick<ChatMessage, 'card'>): GameRow | undefined =>
  card && isGameRow(card) ? card : undefined;

/** The game of a question's row, in progress or ended; undefined for other rows. */
export const readQuestionGame = (message: Pick<ChatMessage, 'card'>): GameData | undefined => {
  const row = readGameRow(message);
  return row?.kind === 'break_ice_question' ? row.game : undefined;
};

/** A game that has just been revealed. */
export interface CelebratedGame {
  gameId: string;
  isMatch: boolean;
}

/**
 * What the page reports about a game: a move of the user, its failure, and the end of the visual effect of a reveal.
 * `response` is the chosen answer, null for Ignore. `isRefused` is false if the server did not answer the move at all.
 */
export type GameAction =
  | { type: 'gameMoved'; sessionId: string; gameId: string; response: string | null }
  | { type: 'gameMoveFailed'; sessionId: string; gameId: string; isRefused: boolean }
  | { type: 'celebrationEnded'; gameId: string };
