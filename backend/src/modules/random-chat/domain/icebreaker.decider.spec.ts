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

/** Any two questions. */
const QUESTION_ID = 7;
const OTHER_QUESTION_ID = 8;
const UNKNOWN_QUESTION_ID = questions.length + 1;
const [optionA = '', optionB = ''] = findQuestionById(QUESTION_ID)?.options ?? [];
/**
 * Later than every event of these tests: event `n` of a given chat, counted from 1, happens at minute `n`, and no chat
 * has 1,000 events.
 */
const COMMAND_TIME_MS = getEventTime(1_000);

const startGame = (
  initiatorId: number,
  gameId = 'g1',
  questionId = QUESTION_ID,
  decidedAtMs = COMMAND_TIME_MS,
): RandomChatCommand => ({
  type: 'StartGame',
  decidedAtMs,
  initiatorId,
  gameId,
  questionId,
});
const answerGame = (userId: number, response: string, gameId = 'g1'): RandomChatCommand => ({
  type: 'AnswerGame',
  userId,
  gameId,
  response,
});
const ignoreGame = (userId: number): RandomChatCommand => ({ type: 'IgnoreGame', userId, gameId: 'g1' });

/** By default, Ada starts the game. */
const createGameStarted = (gameId = 'g1', questionId = QUESTION_ID, initiatorId = ADA): RandomChatEvent => ({
  type: 'GameStarted',
  data: { gameId, questionId, initiatorId },
});
const createGameAnswered = (userId: number, response: string): RandomChatEvent => ({
  type: 'GameAnswered',
  data: { gameId: 'g1', userId, response },
});
const gameRevealed: RandomChatEvent = {
  type: 'GameRevealed',
  data: {
    gameId: 'g1',
    questionId: QUESTION_ID,
    answers: [
      { userId: BOB, response: optionA },
      { userId: ADA, response: optionB },
    ],
  },
};
/** By default, Bob ignores the game. */
const createGameIgnored = (gameId = 'g1', userId = BOB): RandomChatEvent => ({
  type: 'GameIgnored',
  data: { gameId, userId },
});

describe('starting Break the Ice', () => {
  it('requires a participant, an existing question and an open chat', () => {
    givenChat(chatStarted)
      .when(startGame(BOB))
      .then(createGameStarted('g1', QUESTION_ID, BOB));
    givenChat(chatStarted).when(startGame(EVE)).thenThrows('not_in_session');
    givenChat(chatStarted)
      .when(startGame(ADA, 'g1', UNKNOWN_QUESTION_ID))
      .thenThrows('unknown_question');
    givenChat(chatStarted, chatEnded).when(startGame(ADA)).thenThrows('session_ended');
  });

  it('is refused for both users while a game is in progress', () => {
    givenChat(chatStarted, createGameStarted())
      .when(startGame(BOB, 'g2', OTHER_QUESTION_ID))
      .thenThrows('game_active');
    givenChat(chatStarted, createGameStarted())
      .when(startGame(ADA, 'g2', OTHER_QUESTION_ID))
      .thenThrows('game_active');
  });

  it('is acknowledged again when the initiator repeats the command', () => {
    // The second event is the start of the game.
    expect(givenChat(chatStarted, createGameStarted()).when(startGame(ADA)).decide()).toEqual({
      alreadyDone: getEventPosition(2),
    });
  });

  it('is refused with a question that the partner has asked, while unasked questions are left', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(startGame(BOB, 'g2', QUESTION_ID))
      .thenThrows('unknown_question');
  });

  it('is allowed with any question once all questions have been asked', () => {
    const allAsked = questions.flatMap(({ id }) => [
      createGameStarted(`g${id}`, id),
      createGameIgnored(`g${id}`),
    ]);
    givenChat(chatStarted, ...allAsked)
      .when(startGame(ADA, 'g-new'))
      .then(createGameStarted('g-new'));
  });

  it('is refused with the id of an earlier game', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(startGame(ADA, 'g1', OTHER_QUESTION_ID))
      .thenThrows('game_not_active');
  });

  it('is rate-limited per session, not per user', () => {
    const intervalMs = 10_000;
    const givenLimited = givenLimitedChat({ intervalMs, burst: 1 });
    // The first game starts with the second event.
    const tooEarlyMs = getEventTime(2) + intervalMs / 10;
    const startTooEarly = (userId: number) => startGame(userId, 'g2', OTHER_QUESTION_ID, tooEarlyMs);
    givenLimited(chatStarted, createGameStarted(), createGameIgnored())
      .when(startTooEarly(ADA))
      .thenThrows('rate_limited');
    givenLimited(chatStarted, createGameStarted(), createGameIgnored())
      .when(startTooEarly(BOB))
      .thenThrows('rate_limited');
  });
});

describe('answering Break the Ice', () => {
  it('stores the first answer without a reveal, and reveals both answers with the second one', () => {
    givenChat(chatStarted, createGameStarted())
      .when(answerGame(BOB, optionA))
      .then(createGameAnswered(BOB, optionA));
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(answerGame(ADA, optionB))
      .then(gameRevealed);
  });

  it('is refused when the same user has already given another answer', () => {
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(answerGame(BOB, optionB))
      .thenThrows('already_answered');
  });

  it('is acknowledged again, before and after the reveal, only when the same answer is repeated', () => {
    expect(
      givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
        .when(answerGame(BOB, optionA))
        .decide(),
    ).toEqual({ alreadyDone: getEventPosition(3) }); // Bob's answer
    const givenRevealed = givenChat(
      chatStarted,
      createGameStarted(),
      createGameAnswered(BOB, optionA),
      gameRevealed,
    );
    // The fourth event is the reveal.
    expect(givenRevealed.when(answerGame(BOB, optionA)).decide()).toEqual({
      alreadyDone: getEventPosition(4),
    });
    expect(givenRevealed.when(answerGame(ADA, optionB)).decide()).toEqual({
      alreadyDone: getEventPosition(4),
    });
    givenRevealed.when(answerGame(ADA, optionA)).thenThrows('game_not_active');
  });

  it('is refused with a text that is not an option of the question', () => {
    // The frontend uses this text as the answer of a user who has ignored the game.
    givenChat(chatStarted, createGameStarted())
      .when(answerGame(BOB, 'IGNORED_BY_USER'))
      .thenThrows('invalid_payload');
  });

  it('requires a participant and the game in progress', () => {
    givenChat(chatStarted).when(answerGame(BOB, optionA)).thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted())
      .when(answerGame(BOB, optionA, 'no game'))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(answerGame(BOB, optionA))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted()).when(answerGame(EVE, optionA)).thenThrows('not_in_session');
  });
});

describe('ignoring Break the Ice', () => {
  it('is allowed for the initiator and the partner, also after one has answered', () => {
    givenChat(chatStarted, createGameStarted()).when(ignoreGame(BOB)).then(createGameIgnored('g1', BOB));
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(ignoreGame(ADA))
      .then(createGameIgnored('g1', ADA));
  });

  it('is acknowledged again when it is repeated', () => {
    // The third event is Bob's `GameIgnored`.
    expect(
      givenChat(chatStarted, createGameStarted(), createGameIgnored()).when(ignoreGame(BOB)).decide(),
    ).toEqual({
      alreadyDone: getEventPosition(3),
    });
  });

  it('is refused after the end of the game', () => {
    // Bob ignored the game, so the command of Ada is not a repetition.
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(ignoreGame(ADA))
      .thenThrows('game_not_active');
  });

  it('allows the next game', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(startGame(ADA, 'g2', OTHER_QUESTION_ID))
      .then(createGameStarted('g2', OTHER_QUESTION_ID));
  });
});
