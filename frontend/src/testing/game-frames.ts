import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { readQuestionGame, type GameAction, type GameData } from '@/features/random-chat/icebreaker/game';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  createInitialState,
  type RandomChatState,
  type Session,
} from '@/features/random-chat/reducer/random-chat.state';
import { aPartner } from '@/testing/factories';

// Frames and moves of the game Break the Ice, for tests of the random-chat reducer.

/** Id of the signed-in user. */
export const me = 7;
export const partner = aPartner();
const receivedAtMs = Date.parse('2026-11-20T12:00:00.000Z');
export const sessionId = 's1';
const defaultGameId = 'g1';
export const [question, otherQuestion] = questions as [Question, Question];
// The first two options of the first question: soup and a film.
export const [soupAnswer, filmAnswer] = question.options as [string, string];

/** Names of the frames of a game. */
type GameEvent = Extract<ServerEvent, `break_ice_${string}`>;
/** A frame of a game without `sessionId` and `seq`, which `toServerFrame` adds. */
export type GameFrame = {
  [E in GameEvent]: { event: E; data: Omit<ServerData<E>, 'sessionId' | 'seq'> };
}[GameEvent];

/** Applies a frame from the server. */
export const receive = (state: RandomChatState, frame: ServerFrame): RandomChatState =>
  reduce(state, { type: 'frameReceived', frame, me, nowMs: receivedAtMs }).state;

export const toServerFrame = (frame: GameFrame, seq: number): ServerFrame =>
  ({ event: frame.event, data: { ...frame.data, sessionId, seq } }) as ServerFrame;

/** A chat that has just been matched. */
export const createChatState = (): RandomChatState =>
  receive(
    { ...createInitialState(), phase: 'searching' },
    { event: 'chat_matched', data: { sessionId, seq: 1, partnerId: partner.id, partnerInfo: partner } },
  );

const isAction = (step: GameFrame | GameAction): step is GameAction => 'type' in step;

const applyStep = (state: RandomChatState, step: GameFrame | GameAction): RandomChatState => {
  if (isAction(step)) return reduce(state, step).state;
  const nextSeq = (state.session?.seq ?? 0) + 1;
  return receive(state, toServerFrame(step, nextSeq));
};

/** Applies the user's moves and the server's frames in order; each frame gets the next `seq` of the session. */
export const play = (state: RandomChatState, ...steps: (GameFrame | GameAction)[]): RandomChatState => {
  let current = state;
  for (const step of steps) current = applyStep(current, step);
  return current;
};

export const createQuestionFrame = (
  initiatorId: number,
  gameId = defaultGameId,
  askedQuestion = question,
): GameFrame => ({
  event: 'break_ice_question_received',
  data: { gameId, question: askedQuestion, initiatorId },
});
export const partnerQuestionFrame = createQuestionFrame(partner.id);
/** The server has stored the user's answer; the partner has not answered yet. */
export const waitingFrame: GameFrame = {
  event: 'break_ice_partner_responded_waiting',
  data: { gameId: defaultGameId, message: 'Waiting response from your chat partner...' },
};
/** The partner has answered; the user has not answered yet. */
export const partnerAnsweredFrame: GameFrame = {
  event: 'break_ice_partner_answered',
  data: { gameId: defaultGameId },
};
export const createRevealFrame = (yourResponse: string, theirResponse: string): GameFrame => ({
  event: 'break_ice_reveal_results',
  data: {
    gameId: defaultGameId,
    question,
    yourResponse,
    theirResponse,
    sameAnswer: yourResponse === theirResponse,
  },
});
export const createIgnoredFrame = (ignoringUserId: number): GameFrame => ({
  event: 'break_ice_ignored',
  data: { gameId: defaultGameId, ignoredBy: ignoringUserId },
});
const createMoveAction = (response: string | null): GameAction => ({
  type: 'gameMoved',
  sessionId,
  gameId: defaultGameId,
  response,
});
export const createAnswerAction = (answer: string): GameAction => createMoveAction(answer);
export const ignoreAction = createMoveAction(null);
/** A failed move: the server refused it, or the connection was lost before the server responded (`false`). */
export const createFailureAction = ({ isRefused }: { isRefused: boolean }): GameAction => ({
  type: 'gameMoveFailed',
  sessionId,
  gameId: defaultGameId,
  isRefused,
});

export const getSession = ({ session }: RandomChatState): Session => {
  if (!session) throw new Error('No chat');
  return session;
};
/** The messages of the chat without the welcome message. */
export const listMessages = (state: RandomChatState): readonly ChatMessage[] =>
  getSession(state).messages.filter(({ id }) => !id.startsWith('welcome'));
/** The first game in the chat, which the message list shows as a card. */
export const getGame = (state: RandomChatState): GameData => {
  const game = getSession(state)
    .messages.map((message) => readQuestionGame(message))
    .find((candidate) => candidate !== undefined);
  if (!game) throw new Error('No game');
  return game;
};
/** The texts of the system's messages, except the reveal of the answers. */
export const listSystemTexts = (state: RandomChatState): string[] =>
  listMessages(state)
    .filter(({ senderId, card }) => senderId === SYSTEM_SENDER_ID && card?.kind !== 'break_ice_reveal')
    .map(({ content }) => content);
