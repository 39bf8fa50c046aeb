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

const [optionA = '', optionB = ''] = findQuestionById(7)?.options ?? [];

const start = (initiatorId: number, gameId = 'g1', questionId = 7): RandomChatCommand => ({
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

const createStarted = (gameId = 'g1', questionId = 7, initiatorId = ADA): RandomChatEvent => ({
  type: 'GameStarted',
  data: { gameId, questionId, initiatorId },
});
const createAnswered = (userId: number, response: string): RandomChatEvent => ({
  type: 'GameAnswered',
  data: { gameId: 'g1', userId, response },
});
const revealed: RandomChatEvent = {
  type: 'GameRevealed',
  data: {
    gameId: 'g1',
    questionId: 7,
    answers: [
      { userId: BOB, response: optionA },
      { userId: ADA, response: optionB },
    ],
  },
};
const createIgnored = (gameId = 'g1'): RandomChatEvent => ({
  type: 'GameIgnored',
  data: { gameId, userId: BOB },
});

describe('starting Break the Ice', () => {
  it('is allowed for either participant, with an existing question', () => {
    givenChat(chatStarted)
      .when(start(BOB))
      .then(createStarted('g1', 7, BOB));
    givenChat(chatStarted).when(start(EVE)).thenThrows('not_in_session');
    givenChat(chatStarted)
      .when(start(ADA, 'g1', 86))
      .thenThrows('unknown_question');
    givenChat(chatStarted, chatEnded).when(start(ADA)).thenThrows('session_ended');
  });

  it('is refused for both users while a game is in progress', () => {
    givenChat(chatStarted, createStarted())
      .when(start(BOB, 'g2', 8))
      .thenThrows('game_active');
    givenChat(chatStarted, createStarted())
      .when(start(ADA, 'g2', 8))
      .thenThrows('game_active');
  });

  it('happens once when the starter repeats the command', () => {
    expect(givenChat(chatStarted, createStarted()).when(start(ADA)).decide()).toEqual({ alreadyDone: at(2) });
  });

  it('refuses a question asked before while others are left, whichever user asked it', () => {
    givenChat(chatStarted, createStarted(), createIgnored())
      .when(start(BOB, 'g2', 7))
      .thenThrows('unknown_question');
  });

  it('allows a question again once all have been asked', () => {
    const all = questions.flatMap(({ id }) => [createStarted(`g${id}`, id), createIgnored(`g${id}`)]);
    givenChat(chatStarted, ...all)
      .when(start(ADA, 'again', 1))
      .then(createStarted('again', 1));
  });

  it('refuses the id of an earlier game', () => {
    givenChat(chatStarted, createStarted(), createIgnored())
      .when(start(ADA, 'g1', 8))
      .thenThrows('game_not_active');
  });

  it('is rate-limited per session, not per user', () => {
    const startSoonAfter = (userId: number) =>
      ({ ...start(userId, 'g2', 8), at: getEventTime(2) + 1_000 }) as RandomChatCommand;
    const given = givenLimitedChat({ intervalMs: 10_000, burst: 1 });
    given(chatStarted, createStarted(), createIgnored()).when(startSoonAfter(ADA)).thenThrows('rate_limited');
    given(chatStarted, createStarted(), createIgnored()).when(startSoonAfter(BOB)).thenThrows('rate_limited');
  });
});

describe('answering Break the Ice', () => {
  it('hides the first answer and reveals both with the second', () => {
    givenChat(chatStarted, createStarted()).when(answer(BOB, optionA)).then(createAnswered(BOB, optionA));
    givenChat(chatStarted, createStarted(), createAnswered(BOB, optionA))
      .when(answer(ADA, optionB))
      .then({
        type: 'GameRevealed',
        data: {
          gameId: 'g1',
          questionId: 7,
          answers: [
            { userId: BOB, response: optionA },
            { userId: ADA, response: optionB },
          ],
        },
      });
  });

  it('refuses a different second answer of the same user', () => {
    givenChat(chatStarted, createStarted(), createAnswered(BOB, optionA))
      .when(answer(BOB, optionB))
      .thenThrows('already_answered');
  });

  it('is acknowledged again when the same answer is repeated, before and after the reveal', () => {
    expect(
      givenChat(chatStarted, createStarted(), createAnswered(BOB, optionA))
        .when(answer(BOB, optionA))
        .decide(),
    ).toEqual({ alreadyDone: at(3) });
    const over = givenChat(chatStarted, createStarted(), createAnswered(BOB, optionA), revealed);
    expect(over.when(answer(BOB, optionA)).decide()).toEqual({ alreadyDone: at(4) });
    expect(over.when(answer(ADA, optionB)).decide()).toEqual({ alreadyDone: at(4) });
    over.when(answer(ADA, optionA)).thenThrows('game_not_active');
  });

  it('accepts only one of the five options', () => {
    givenChat(chatStarted, createStarted())
      .when(answer(BOB, 'IGNORED_BY_USER'))
      .thenThrows('invalid_payload');
  });

  it('requires the game in progress', () => {
    givenChat(chatStarted).when(answer(BOB, optionA)).thenThrows('game_not_active');
    givenChat(chatStarted, createStarted())
      .when(answer(BOB, optionA, 'g0'))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createStarted(), createIgnored())
      .when(answer(BOB, optionA))
      .thenThrows('game_not_active');
    givenChat(chatStarted, createStarted()).when(answer(EVE, optionA)).thenThrows('not_in_session');
  });
});

describe('ignoring Break the Ice', () => {
  it('ends the game for both users, also after one has answered', () => {
    givenChat(chatStarted, createStarted())
      .when(ignore(BOB))
      .then({ type: 'GameIgnored', data: { gameId: 'g1', userId: BOB } });
    givenChat(chatStarted, createStarted(), createAnswered(BOB, optionA))
      .when(ignore(ADA))
      .then({ type: 'GameIgnored' });
  });

  it('is acknowledged again when it is repeated', () => {
    expect(givenChat(chatStarted, createStarted(), createIgnored()).when(ignore(BOB)).decide()).toEqual({
      alreadyDone: at(3),
    });
  });

  it('is refused after the end of the game', () => {
    givenChat(chatStarted, createStarted(), createIgnored()).when(ignore(ADA)).thenThrows('game_not_active');
  });

  it('allows the next game', () => {
    givenChat(chatStarted, createStarted(), createIgnored())
      .when(start(ADA, 'g2', 8))
      .then(createStarted('g2', 8));
  });
});
