import { findQuestionById, questions } from '@thaw/contract/questions';
import {
  ADA,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  givenLimitedChat,
  getEventPosition,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const GAME_ID = 'g1';
/** Any question. */
const QUESTION_ID = 7;
const UNKNOWN_QUESTION_ID = questions.length + 1;
const otherGame = { gameId: 'g2', questionId: 8 };
const [optionA = '', optionB = ''] = findQuestionById(QUESTION_ID)?.options ?? [];

/** Event `n` of a given chat, counted from 1, happens at minute `n`. No chat of these tests has 1,000 events. */
const AFTER_ALL_EVENTS_MS = getEventTime(1_000);

const startGame = (
  initiatorId: number,
  { gameId = GAME_ID, questionId = QUESTION_ID, decidedAtMs = AFTER_ALL_EVENTS_MS } = {},
): RandomChatCommand => ({ type: 'StartGame', decidedAtMs, initiatorId, gameId, questionId });
const answerGame = (userId: number, response: string, { gameId = GAME_ID } = {}): RandomChatCommand => ({
  type: 'AnswerGame',
  userId,
  gameId,
  response,
});
const ignoreGame = (userId: number): RandomChatCommand => ({ type: 'IgnoreGame', userId, gameId: GAME_ID });

const createGameStarted = ({
  initiatorId = ADA,
  gameId = GAME_ID,
  questionId = QUESTION_ID,
} = {}): RandomChatEvent => ({ type: 'GameStarted', data: { gameId, questionId, initiatorId } });
const createGameAnswered = (userId: number, response: string): RandomChatEvent => ({
  type: 'GameAnswered',
  data: { gameId: GAME_ID, userId, response },
});
const gameRevealed: RandomChatEvent = {
  type: 'GameRevealed',
  data: {
    gameId: GAME_ID,
    questionId: QUESTION_ID,
    answers: [
      { userId: BOB, response: optionA },
      { userId: ADA, response: optionB },
    ],
  },
};
const createGameIgnored = ({ userId = BOB, gameId = GAME_ID } = {}): RandomChatEvent => ({
  type: 'GameIgnored',
  data: { gameId, userId },
});

/** A chat in which Ada has started a game. */
const givenGame = (...laterEvents: readonly RandomChatEvent[]) =>
  givenChat(chatStarted, createGameStarted(), ...laterEvents);

/** The decision on a repeated command: the position of event `n` of the chat, which the command caused at first. */
const createAlreadyDoneAt = (n: number) => ({ alreadyDone: getEventPosition(n) });

describe('starting Break the Ice', () => {
  it('is allowed for a participant only', () => {
    givenChat(chatStarted)
      .when(startGame(BOB))
      .then(createGameStarted({ initiatorId: BOB }));
    givenChat(chatStarted).when(startGame(EVE)).thenThrows('not_in_session');
  });

  it('is refused with an unknown question', () => {
    givenChat(chatStarted)
      .when(startGame(ADA, { questionId: UNKNOWN_QUESTION_ID }))
      .thenThrows('unknown_question');
  });

  it('is refused after the end of the chat', () => {
    givenChat(chatStarted, chatEnded).when(startGame(ADA)).thenThrows('session_ended');
  });

  it('is refused for both users while a game is in progress', () => {
    givenGame().when(startGame(BOB, otherGame)).thenThrows('game_active');
    givenGame().when(startGame(ADA, otherGame)).thenThrows('game_active');
  });

  it('is acknowledged again when the initiator repeats the command', () => {
    const decision = givenGame().when(startGame(ADA)).decide();
    expect(decision).toEqual(createAlreadyDoneAt(2)); // the start of the game
  });

  it('is refused with a question that was already asked, while other questions are left', () => {
    givenGame(createGameIgnored())
      .when(startGame(BOB, { gameId: otherGame.gameId, questionId: QUESTION_ID }))
      .thenThrows('unknown_question');
  });

  it('is allowed with any question once all questions have been asked', () => {
    const allAsked = questions.flatMap(({ id }) => [
      createGameStarted({ gameId: `g${id}`, questionId: id }),
      createGameIgnored({ gameId: `g${id}` }),
    ]);
    const newGame = { gameId: 'g-new', questionId: QUESTION_ID };
    givenChat(chatStarted, ...allAsked)
      .when(startGame(ADA, newGame))
      .then(createGameStarted(newGame));
  });

  it('is refused with the id of an earlier game', () => {
    givenGame(createGameIgnored())
      .when(startGame(ADA, { gameId: GAME_ID, questionId: otherGame.questionId }))
      .thenThrows('game_not_active');
  });

  it('is rate-limited per session, not per user', () => {
    const givenLimited = givenLimitedChat({ intervalMs: 10_000, burst: 1 });
    const firstStartMs = getEventTime(2);
    const tooEarlyMs = firstStartMs + 1_000;
    for (const userId of [ADA, BOB]) {
      givenLimited(chatStarted, createGameStarted(), createGameIgnored())
        .when(startGame(userId, { ...otherGame, decidedAtMs: tooEarlyMs }))
        .thenThrows('rate_limited');
    }
  });
});

describe('answering Break the Ice', () => {
  it('stores the first answer without a reveal, and reveals both answers with the second one', () => {
    givenGame().when(answerGame(BOB, optionA)).then(createGameAnswered(BOB, optionA));
    givenGame(createGameAnswered(BOB, optionA)).when(answerGame(ADA, optionB)).then(gameRevealed);
  });

  it('is refused when the same user has already given another answer', () => {
    givenGame(createGameAnswered(BOB, optionA)).when(answerGame(BOB, optionB)).thenThrows('already_answered');
  });

  it('is acknowledged again when the same answer is repeated before the reveal', () => {
    const decision = givenGame(createGameAnswered(BOB, optionA)).when(answerGame(BOB, optionA)).decide();
    expect(decision).toEqual(createAlreadyDoneAt(3)); // Bob's answer
  });

  describe('after the reveal', () => {
    const givenRevealed = givenGame(createGameAnswered(BOB, optionA), gameRevealed);

    it('is acknowledged again when the same answer is repeated', () => {
      const reveal = createAlreadyDoneAt(4);
      expect(givenRevealed.when(answerGame(BOB, optionA)).decide()).toEqual(reveal);
      expect(givenRevealed.when(answerGame(ADA, optionB)).decide()).toEqual(reveal);
    });

    it('is refused with another answer', () => {
      givenRevealed.when(answerGame(ADA, optionA)).thenThrows('game_not_active');
    });
  });

  it('is refused with a text that is not an option of the question', () => {
    // The frontend uses this text as the answer of a user who has ignored the game.
    givenGame().when(answerGame(BOB, 'IGNORED_BY_USER')).thenThrows('invalid_payload');
  });

  it('is refused for a user who is not in the chat', () => {
    givenGame().when(answerGame(EVE, optionA)).thenThrows('not_in_session');
  });

  it('is refused unless the game is in progress', () => {
    givenChat(chatStarted).when(answerGame(BOB, optionA)).thenThrows('game_not_active');
    givenGame()
      .when(answerGame(BOB, optionA, { gameId: 'no game' }))
      .thenThrows('game_not_active');
    givenGame(createGameIgnored()).when(answerGame(BOB, optionA)).thenThrows('game_not_active');
  });
});

describe('ignoring Break the Ice', () => {
  it('is allowed for the initiator and the partner, also after one has answered', () => {
    givenGame()
      .when(ignoreGame(BOB))
      .then(createGameIgnored({ userId: BOB }));
    givenGame(createGameAnswered(BOB, optionA))
      .when(ignoreGame(ADA))
      .then(createGameIgnored({ userId: ADA }));
  });

  it('is acknowledged again when it is repeated', () => {
    const decision = givenGame(createGameIgnored({ userId: BOB }))
      .when(ignoreGame(BOB))
      .decide();
    expect(decision).toEqual(createAlreadyDoneAt(3)); // Bob's `GameIgnored`
  });

  it('is refused when the partner has already ignored the game', () => {
    givenGame(createGameIgnored({ userId: BOB }))
      .when(ignoreGame(ADA))
      .thenThrows('game_not_active');
  });

  it('allows the next game', () => {
    givenGame(createGameIgnored()).when(startGame(ADA, otherGame)).then(createGameStarted(otherGame));
  });
});
