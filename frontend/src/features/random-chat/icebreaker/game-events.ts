import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { readQuestionGame, type GameData, type GameRow } from '@/features/random-chat/icebreaker/game';
import { insertBySeq } from '@/features/random-chat/reducer/message-order';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';

// Applies the stored events of Break the Ice to a chat (docs/product-decisions.md, A70 to A85). In a game, one user
// asks a question, both choose an answer, and the answers are revealed. A game is shown as rows among the messages: its
// question, notices, and the revealed answers. Each row is a message with a `card`, except the notice that a game was
// ignored, which has none.
//
// The events of a game, as the server sends them to this user:
// - `break_ice_question_received`: the user or the partner has started the game.
// - `break_ice_partner_responded_waiting`: the user has answered, and the partner has not. The name is misleading.
// - `break_ice_partner_answered`: the partner has answered, and the user has not.
// - `break_ice_reveal_results`: both have answered.
// - `break_ice_ignored`: the user or the partner has ignored the game.
// A game also ends when the chat ends. `GameData` describes its state.

export type GameFrame = Extract<ServerFrame, { event: `break_ice_${string}` }>;

export const isGameFrame = (frame: ServerFrame): frame is GameFrame => frame.event.startsWith('break_ice_');

const toQuestionRowId = (gameId: string): string => `game-${gameId}`;
const toWaitingNoticeId = (gameId: string): string => `waiting-${gameId}`;

/** Whether the game has not ended. */
export const isGameOpen = ({ progress }: GameData): boolean =>
  progress === 'open' || progress === 'sending' || progress === 'answered';

export const findGame = (session: Session, gameId: string): GameData | undefined => {
  const message = session.messages.find(({ id }) => id === toQuestionRowId(gameId));
  return message && readQuestionGame(message);
};

/** The game in progress. The server allows one at a time, so only the newest game can be open. */
export const findOpenGame = (session: Session): GameData | undefined => {
  const row = session.messages.findLast((message) => readQuestionGame(message) !== undefined);
  const game = row && readQuestionGame(row);
  return game && isGameOpen(game) ? game : undefined;
};

/** Ids of the questions asked in this session by either user (A72). */
export const listAskedQuestionIds = (session: Session): readonly number[] =>
  session.messages.flatMap((message) => readQuestionGame(message)?.questionId ?? []);

const createQuestionRow = (game: GameData): GameRow => ({ kind: 'break_ice_question', game });

export const patchGame = (session: Session, gameId: string, change: Partial<GameData>): Session => ({
  ...session,
  messages: session.messages.map((message) => {
    const game = message.id === toQuestionRowId(gameId) ? readQuestionGame(message) : undefined;
    return game ? { ...message, card: createQuestionRow({ ...game, ...change }) } : message;
  }),
});

const insertRow = (
  session: Session,
  row: Pick<ChatMessage, 'id' | 'senderId' | 'content'> & { seq: number; card?: GameRow },
): Session => ({
  ...session,
  messages: insertBySeq(session.messages, {
    ...row,
    key: row.id,
    type: 'text',
    // A message needs a time. The frames contain none, and the rows show none.
    timestamp: session.messages.at(-1)?.timestamp ?? 0,
    replyTo: null,
    reactions: {},
    isEdited: false,
    delivery: 'sent',
  }),
});

const insertNotice = (session: Session, seq: number, id: string, content: string, card?: GameRow): Session =>
  insertRow(session, { id, seq, senderId: SYSTEM_SENDER_ID, content, ...(card ? { card } : {}) });

/** Removes the notice that the game is waiting for the partner's answer. */
const removeWaitingNotice = (session: Session, gameId: string): Session => ({
  ...session,
  messages: session.messages.filter(({ id }) => id !== toWaitingNoticeId(gameId)),
});

const insertQuestion = (
  session: Session,
  {
    gameId,
    seq,
    question,
    initiatorId,
  }: Extract<GameFrame, { event: 'break_ice_question_received' }>['data'],
): Session =>
  insertRow(session, {
    id: toQuestionRowId(gameId),
    seq,
    senderId: initiatorId,
    content: question.question,
    card: createQuestionRow({
      gameId,
      questionId: question.id,
      question: question.question,
      options: question.options,
      userResponse: null,
      partnerResponse: null,
      sameAnswer: null,
      progress: 'open',
      hasPartnerAnswered: false,
    }),
  });

const revealAnswers = (
  session: Session,
  game: GameData,
  {
    gameId,
    seq,
    yourResponse,
    theirResponse,
    sameAnswer,
  }: Extract<GameFrame, { event: 'break_ice_reveal_results' }>['data'],
): Session => {
  const result: GameData = {
    ...game,
    userResponse: yourResponse,
    partnerResponse: theirResponse,
    sameAnswer,
    progress: 'revealed',
    hasPartnerAnswered: true,
  };
  return {
    ...insertRow(patchGame(removeWaitingNotice(session, gameId), gameId, result), {
      id: `reveal-${gameId}`,
      seq,
      senderId: SYSTEM_SENDER_ID,
      content: game.question,
      // Silent, because `BreakTheIceEffects` announces the reveal to screen readers.
      card: { kind: 'break_ice_reveal', game: result, isSilent: true },
    }),
    // Starts the visual effect.
    celebratedGame: { gameId, isMatch: sameAnswer },
  };
};

/**
 * Ends a game that this user (`isByMe`) or the partner has ignored. In place of an answer, `userResponse` then states
 * which of the two ignored it (A81).
 */
const markIgnored = (session: Session, gameId: string, seq: number, isByMe: boolean): Session =>
  insertNotice(
    patchGame(removeWaitingNotice(session, gameId), gameId, {
      userResponse: isByMe ? 'IGNORED_BY_USER' : 'IGNORED_BY_PARTNER',
      progress: 'ignored',
    }),
    seq,
    `ignored-${gameId}`,
    isByMe ? copy.notices.ignoredByMe : copy.notices.ignoredByPartner,
  );

/** Applies one stored event of Break the Ice to the session. The caller sets the session's `seq`. */
export const applyGameEvent = (session: Session, frame: GameFrame, me: number): Session => {
  const { gameId, seq } = frame.data;
  const game = findGame(session, gameId);
  if (frame.event === 'break_ice_question_received')
    return game ? session : insertQuestion(session, frame.data);
  if (!game || !isGameOpen(game)) return session;
  switch (frame.event) {
    case 'break_ice_partner_responded_waiting':
      // Despite its name, this event confirms the user's own answer (A76).
      if (game.progress === 'answered') return session; // the notice is already shown
      return insertNotice(
        patchGame(session, gameId, { progress: 'answered' }),
        seq,
        toWaitingNoticeId(gameId),
        copy.notices.waiting,
        { kind: 'break_ice_waiting' },
      );
    case 'break_ice_partner_answered':
      return patchGame(session, gameId, { hasPartnerAnswered: true });
    case 'break_ice_reveal_results':
      return revealAnswers(session, game, frame.data);
    case 'break_ice_ignored':
      return markIgnored(session, gameId, seq, frame.data.ignoredBy === me);
  }
};

/** Closes an open game when the chat ends (A79). */
export const closeOpenGame = (session: Session): Session => {
  const game = findOpenGame(session);
  if (!game) return session;
  return patchGame(removeWaitingNotice(session, game.gameId), game.gameId, { progress: 'closed' });
};
