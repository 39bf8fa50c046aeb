import { type ChatMessage, type MessageCard } from '@/chat-ui/chat-message';

/** Instead of an answer: the game was ignored, by me or by the partner (A81). */
export type IgnoredAnswer = 'IGNORED_BY_PARTNER' | 'IGNORED_BY_USER';

/** What a message of Break the Ice is about (specification §3). */
export interface GameData {
  gameId: string;
  questionId: number;
  question: string;
  options: readonly string[];
  /** Mine, or an `IgnoredAnswer`. */
  userResponse: string | null;
  partnerResponse: string | null;
  /** null until both have answered. */
  sameAnswer: boolean | null;
  /** The state of the game for me. `sending`: an answer of mine, or Ignore, is on its way. */
  progress: 'open' | 'sending' | 'answered' | 'revealed' | 'ignored' | 'closed';
  /** The answer itself is unknown before the reveal (A77). */
  hasPartnerAnswered: boolean;
}

/** The rows of Break the Ice among the messages. */
export type GameRow =
  | { kind: 'break_ice_question'; game: GameData }
  | { kind: 'break_ice_reveal'; game: GameData; isSilent: true }
  | { kind: 'break_ice_waiting' };

const isGameRow = (card: MessageCard): card is GameRow => card.kind.startsWith('break_ice_');

/** Undefined for a message that is not part of a game. */
export const gameRowOf = ({ card }: Pick<ChatMessage, 'card'>): GameRow | undefined =>
  card && isGameRow(card) ? card : undefined;

/** The game of a question, while it is played and afterwards. */
export const askedGameOf = (message: Pick<ChatMessage, 'card'>): GameData | undefined => {
  const row = gameRowOf(message);
  return row?.kind === 'break_ice_question' ? row.game : undefined;
};

/** A game that has just been revealed. */
export interface Celebrated {
  gameId: string;
  isMatch: boolean;
}

/** My moves in Break the Ice; `response` null: ignored. */
export type GameAction =
  | { type: 'gameMoved'; sessionId: string; gameId: string; response: string | null }
  | { type: 'gameMoveFailed'; sessionId: string; gameId: string; isRefused: boolean }
  | { type: 'celebrated'; gameId: string };
