import { findQuestionById, questions } from '@thaw/contract/questions';
import {
  ADA,
  at,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  givenLimitedChat,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const QUESTION_ID = 7;
const OTHER_QUESTION_ID = 8;
const UNKNOWN_QUESTION_ID = questions.length + 1;
const [optionA = '', optionB = ''] = findQuestionById(QUESTION_ID)?.options ?? [];

const start = (initiatorId: number, gameId = 'g1', questionId = QUESTION_ID): RandomChatCommand => ({
  type: 'StartGame',
  at: getEventTime(1_000),
  initiatorId,
  gameId,
  questionId,
});
const answer = (userId: number, response: string, gameId = 'g1'): RandomChatCommand => ({
  type: 'AnswerGame',
  userId,
  gameId,
  response,
});
const ignore = (userId: number, gameId = 'g1'): RandomChatCommand => ({ type: 'IgnoreGame', userId, gameId });

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
const createGameIgnored = (gameId = 'g1'): RandomChatEvent => ({
  type: 'GameIgnored',
  data: { gameId, userId: BOB },
});

describe('starting Break the Ice', () => {
  it('is allowed for either participant, with an existing question', () => {
    givenChat(chatStarted)
      .when(start(BOB))
      .then(createGameStarted('g1', QUESTION_ID, BOB));
    givenChat(chatStarted).when(start(EVE)).thenThrows('not_in_session');
    givenChat(chatStarted)
      .when(start(ADA, 'g1', UNKNOWN_QUESTION_ID))
      .thenThrows('unknown_question');
    givenChat(chatStarted, chatEnded).when(start(ADA)).thenThrows('session_ended');
  });

  it('is refused for both users while a game is in progress', () => {
    givenChat(chatStarted, createGameStarted())
      .when(start(BOB, 'g2', OTHER_QUESTION_ID))
      .thenThrows('game_active');
    givenChat(chatStarted, createGameStarted())
      .when(start(ADA, 'g2', OTHER_QUESTION_ID))
      .thenThrows('game_active');
  });

  it('starts one game when the initiator repeats the command', () => {
    expect(givenChat(chatStarted, createGameStarted()).when(start(ADA)).decide()).toEqual({
      alreadyDone: at(2),
    });
  });

  it('refuses a question that either user has asked while unasked questions are left', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(start(BOB, 'g2', QUESTION_ID))
      .thenThrows('unknown_question');
  });

  it('allows a question again once all have been asked', () => {
    const allAsked = questions.flatMap(({ id }) => [
      createGameStarted(`g${id}`, id),
      createGameIgnored(`g${id}`),
    ]);
    givenChat(chatStarted, ...allAsked)
      .when(start(ADA, 'again', 1))
      .then(createGameStarted('again', 1));
  });

  it('refuses the id of an earlier game', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(start(ADA, 'g1', OTHER_QUESTION_ID))
      .thenThrows('game_not_active');
  });

  it('is rate-limited per session, not per user', () => {
    const startSoonAfter = (userId: number) =>
      ({ ...start(userId, 'g2', OTHER_QUESTION_ID), at: getEventTime(2) + 1_000 }) as RandomChatCommand;
    const givenLimited = givenLimitedChat({ intervalMs: 10_000, burst: 1 });
    givenLimited(chatStarted, createGameStarted(), createGameIgnored())
      .when(startSoonAfter(ADA))
      .thenThrows('rate_limited');
    givenLimited(chatStarted, createGameStarted(), createGameIgnored())
      .when(startSoonAfter(BOB))
      .thenThrows('rate_limited');
  });
});

describe('answering Break the Ice', () => {
  it('stores the first answer without a reveal, and reveals both with the second', () => {
    givenChat(chatStarted, createGameStarted())
      .when(answer(BOB, optionA))
      .then(createGameAnswered(BOB, optionA));
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(answer(ADA, optionB))
      .then(gameRevealed);
  });

  it('refuses a different second answer of the same user', () => {
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(answer(BOB, optionB))
      .thenThrows('already_answered');
  });

  it('is acknowledged again when the same answer is repeated, before and after the reveal', () => {
    expect(
      givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
        .when(answer(BOB, optionA))
        .decide(),
    ).toEqual({ alreadyDone: at(3) });
    const givenRevealed = givenChat(
      chatStarted,
      createGameStarted(),
      createGameAnswered(BOB, optionA),
      gameRevealed,
    );
    expect(givenRevealed.when(answer(BOB, optionA)).decide()).toEqual({ alreadyDone: at(4) });
    expect(givenRevealed.when(answer(ADA, optionB)).decide()).toEqual({ alreadyDone: at(4) });
    givenRevealed.when(answer(ADA, optionA)).thenThrows('game_not_active');
  });

  it('accepts only one of the five options', () => {
    givenChat(chatStarted, createGameStarted())
      .when(answer(BOB, 'IGNORED_BY_USER'))
      .thenThrows('invalid_payload');
  });

  it('requires the game in progress', () => {
    givenChat(chatStarted).when(answer(BOB, optionA)).thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted())
      .when(answer(BOB, optionA, 'g0'))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(answer(BOB, optionA))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createGameStarted()).when(answer(EVE, optionA)).thenThrows('not_in_session');
  });
});

describe('ignoring Break the Ice', () => {
  it('ends the game for both users, also after one has answered', () => {
    givenChat(chatStarted, createGameStarted())
      .when(ignore(BOB))
      .then({ type: 'GameIgnored', data: { gameId: 'g1', userId: BOB } });
    givenChat(chatStarted, createGameStarted(), createGameAnswered(BOB, optionA))
      .when(ignore(ADA))
      .then({ type: 'GameIgnored' });
  });

  it('is acknowledged again when it is repeated', () => {
    expect(
      givenChat(chatStarted, createGameStarted(), createGameIgnored()).when(ignore(BOB)).decide(),
    ).toEqual({
      alreadyDone: at(3),
    });
  });

  it('is refused after the end of the game', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(ignore(ADA))
      .thenThrows('game_not_active');
  });

  it('allows the next game', () => {
    givenChat(chatStarted, createGameStarted(), createGameIgnored())
      .when(start(ADA, 'g2', OTHER_QUESTION_ID))
      .then(createGameStarted('g2', OTHER_QUESTION_ID));
  });
});
