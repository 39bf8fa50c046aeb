import { findOpenGame, listAskedQuestionIds } from '@/features/random-chat/icebreaker/game-events';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import { createInitialState, type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import {
  type GameFrame,
  partnerQuestionFrame,
  createAnswerAction,
  createChatState,
  createIgnoredFrame,
  createQuestionFrame,
  createRevealFrame,
  getGame,
  getSession,
  listMessages,
  listSystemTexts,
  me,
  otherQuestion,
  partner,
  partnerAnsweredFrame,
  play,
  question,
  receive,
  sessionId,
  soupAnswer,
  toServerFrame,
  waitingFrame,
} from '@/testing/game-frames';

/** Resumes the chat of a page that has seen its events up to `lastSeq`, and has missed these. */
const resume = (state: RandomChatState, lastSeq: number, missed: readonly GameFrame[]): RandomChatState =>
  receive(state, {
    event: 'session_resumed',
    data: {
      sessionId,
      seq: lastSeq + missed.length,
      partnerId: partner.id,
      partnerInfo: partner,
      partnerConnection: 'connected',
      events: missed.map((frame, index) => toServerFrame(frame, lastSeq + 1 + index)),
      last: true,
    },
  });

/** The reloaded page of a chat in which these events followed the match, whose `seq` is 1. */
const reload = (...frames: GameFrame[]): RandomChatState => resume(createInitialState(), 1, frames);
const reconnect = (state: RandomChatState, ...missed: GameFrame[]): RandomChatState =>
  resume(state, getSession(state).seq, missed);

describe('after a reload', () => {
  it('an open game is still open', () => {
    const state = reload(partnerQuestionFrame);
    expect(getGame(state).progress).toBe('open');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('a game that the user has answered waits for the partner; the page does not know the answer', () => {
    const state = reload(createQuestionFrame(me), waitingFrame);
    expect(getGame(state)).toMatchObject({ progress: 'answered', userResponse: null });
    expect(listSystemTexts(state)).toEqual(['Waiting response from your chat partner...']);
  });

  it('a game that the partner has answered shows that', () => {
    const state = reload(createQuestionFrame(me), partnerAnsweredFrame);
    expect(getGame(state)).toMatchObject({ progress: 'open', hasPartnerAnswered: true });
  });

  it('a revealed game is shown without a celebration', () => {
    const state = reload(partnerQuestionFrame, waitingFrame, createRevealFrame(soupAnswer, soupAnswer));
    expect(getGame(state)).toMatchObject({ progress: 'revealed', sameAnswer: true });
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('all questions that were asked in the chat are known', () => {
    const state = reload(
      partnerQuestionFrame,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
  });
});

describe('after a reconnect', () => {
  it("the missed events reveal a game, which keeps the user's choice and is not celebrated", () => {
    const stateBefore = play(
      createChatState(),
      partnerQuestionFrame,
      createAnswerAction(soupAnswer),
      waitingFrame,
    );
    const state = reconnect(stateBefore, createRevealFrame(soupAnswer, soupAnswer));
    expect(getGame(state)).toMatchObject({ progress: 'revealed', userResponse: soupAnswer });
    expect(getSession(state).celebratedGame).toBeNull();
  });
});

describe('the end of the chat', () => {
  const openGame = play(createChatState(), partnerQuestionFrame);
  const answeredGame = play(openGame, createAnswerAction(soupAnswer), waitingFrame);

  it.each([
    ['has not answered', openGame],
    ['has answered', answeredGame],
  ])('closes a game that the user %s', (_case, playing) => {
    const state = receive(playing, {
      event: 'chat_skipped',
      data: { sessionId, seq: getSession(playing).seq + 1, reason: 'skipped', endedBy: partner.id },
    });
    expect(state.phase).toBe('skipped');
    expect(getGame(state).progress).toBe('closed');
    expect(listSystemTexts(state)).toEqual([]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
  });

  it('closes an open game although the page has missed it: the server has no chat for the user', () => {
    const { state } = reduce(openGame, { type: 'sessionVanished', sessionId });
    expect(getGame(state).progress).toBe('closed');
  });
});
