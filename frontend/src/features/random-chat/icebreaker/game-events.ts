import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { askedGameOf, type GameData, type GameRow } from '@/features/random-chat/icebreaker/game';
import { insertSent } from '@/features/random-chat/reducer/message-order';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';

/** Applies the stored events of Break the Ice to a chat (specification §4, A70 to A85). */

export type GameFrame = Extract<ServerFrame, { event: `break_ice_${string}` }>;

export const isGameFrame = (frame: ServerFrame): frame is GameFrame => frame.event.startsWith('break_ice_');

const cardId = (gameId: string): string => `game-${gameId}`;
const waitingId = (gameId: string): string => `waiting-${gameId}`;

export const isOpen = ({ progress }: GameData): boolean =>
  progress === 'open' || progress === 'sending' || progress === 'answered';

export const cardOf = (session: Session, gameId: string): GameData | undefined => {
  const message = session.messages.find(({ id }) => id === cardId(gameId));
  return message && askedGameOf(message);
};

/** The game in progress; the server allows one at a time. */
export const openGame = (session: Session): GameData | undefined => {
  const message = session.messages.findLast((other) => askedGameOf(other) !== undefined);
  const card = message && askedGameOf(message);
  return card && isOpen(card) ? card : undefined;
};

/** Ids of the questions asked in this session by either user (A72). */
export const askedQuestionIds = (session: Session): readonly number[] =>
  session.messages.flatMap((message) => askedGameOf(message)?.questionId ?? []);

const questionRow = (game: GameData): GameRow => ({ kind: 'break_ice_question', game });

export const withCard = (session: Session, gameId: string, change: Partial<GameData>): Session => ({
  ...session,
  messages: session.messages.map((message) => {
    const game = message.id === cardId(gameId) ? askedGameOf(message) : undefined;
    return game ? { ...message, card: questionRow({ ...game, ...change }) } : message;
  }),
});

const withRow = (
  session: Session,
  row: Pick<ChatMessage, 'id' | 'senderId' | 'content'> & { seq: number; card?: GameRow },
): Session => ({
  ...session,
  messages: insertSent(session.messages, {
    ...row,
    key: row.id,
    type: 'text',
    // The frames contain no time, and the cards show none.
    timestamp: session.messages.at(-1)?.timestamp ?? 0,
    replyTo: null,
    reactions: {},
    isEdited: false,
    delivery: 'sent',
  }),
});

const withNotice = (session: Session, seq: number, id: string, content: string, card?: GameRow): Session =>
  withRow(session, { id, seq, senderId: SYSTEM_SENDER_ID, content, ...(card ? { card } : {}) });

/** Removes the notice that an answer is awaited. */
const withoutWaiting = (session: Session, gameId: string): Session => ({
  ...session,
  messages: session.messages.filter(({ id }) => id !== waitingId(gameId)),
});

const started = (
  session: Session,
  {
    gameId,
    seq,
    question,
    initiatorId,
  }: Extract<GameFrame, { event: 'break_ice_question_received' }>['data'],
): Session =>
  withRow(session, {
    id: cardId(gameId),
    seq,
    senderId: initiatorId,
    content: question.question,
    card: questionRow({
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

const revealed = (
  session: Session,
  card: GameData,
  {
    gameId,
    seq,
    yourResponse,
    theirResponse,
    sameAnswer,
  }: Extract<GameFrame, { event: 'break_ice_reveal_results' }>['data'],
): Session => {
  const result: GameData = {
    ...card,
    userResponse: yourResponse,
    partnerResponse: theirResponse,
    sameAnswer,
    progress: 'revealed',
    hasPartnerAnswered: true,
  };
  return {
    ...withRow(withCard(withoutWaiting(session, gameId), gameId, result), {
      id: `reveal-${gameId}`,
      seq,
      senderId: SYSTEM_SENDER_ID,
      content: card.question,
      card: { kind: 'break_ice_reveal', game: result, isSilent: true },
    }),
    celebrates: { gameId, isMatch: sameAnswer },
  };
};

const ignored = (session: Session, gameId: string, seq: number, isByMe: boolean): Session =>
  withNotice(
    withCard(withoutWaiting(session, gameId), gameId, {
      userResponse: isByMe ? 'IGNORED_BY_USER' : 'IGNORED_BY_PARTNER',
      progress: 'ignored',
    }),
    seq,
    `ignored-${gameId}`,
    isByMe ? copy.notices.ignoredByMe : copy.notices.ignoredByPartner,
  );

/** Applies one stored event of Break the Ice to the session, except its `seq`. */
export const applyGameEvent = (session: Session, frame: GameFrame, me: number): Session => {
  const { gameId, seq } = frame.data;
  const card = cardOf(session, gameId);
  if (frame.event === 'break_ice_question_received') return card ? session : started(session, frame.data);
  if (!card || !isOpen(card)) return session;
  switch (frame.event) {
    case 'break_ice_partner_responded_waiting':
      if (card.progress === 'answered') return session;
      return withNotice(
        withCard(session, gameId, { progress: 'answered' }),
        seq,
        waitingId(gameId),
        copy.notices.waiting,
        { kind: 'break_ice_waiting' },
      );
    case 'break_ice_partner_answered':
      return withCard(session, gameId, { hasPartnerAnswered: true });
    case 'break_ice_reveal_results':
      return revealed(session, card, frame.data);
    case 'break_ice_ignored':
      return ignored(session, gameId, seq, frame.data.ignoredBy === me);
  }
};

/** Closes an open game when the chat ends (A79). */
export const withoutOpenGame = (session: Session): Session => {
  const game = openGame(session);
  if (!game) return session;
  return withCard(withoutWaiting(session, game.gameId), game.gameId, { progress: 'closed' });
};
