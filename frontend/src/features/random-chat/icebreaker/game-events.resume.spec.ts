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

describe('after a reload', () => {
  const resume = (...frames: GameFrame[]): RandomChatState =>
    receive(createInitialState(), {
      event: 'session_resumed',
      data: {
        sessionId,
        seq: frames.length + 1,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        // The match has `seq` 1, so the first of these has 2.
        events: frames.map((frame, index) => toServerFrame(frame, index + 2)),
        last: true,
      },
    });

  it('an open game is still open', () => {
    const state = resume(partnerQuestionFrame);
    expect(getGame(state).progress).toBe('open');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('a game that the user has answered waits for the partner; the page does not know the answer', () => {
    const state = resume(createQuestionFrame(me), waitingFrame);
    expect(getGame(state)).toMatchObject({ progress: 'answered', userResponse: null });
    expect(listSystemTexts(state)).toEqual(['Waiting response from your chat partner...']);
  });

  it('a game that the partner has answered shows that', () => {
    expect(getGame(resume(createQuestionFrame(me), partnerAnsweredFrame))).toMatchObject({
      progress: 'open',
      hasPartnerAnswered: true,
    });
  });

  it('a revealed game is shown without a celebration', () => {
    const state = resume(partnerQuestionFrame, waitingFrame, createRevealFrame(soupAnswer, soupAnswer));
    expect(getGame(state)).toMatchObject({ progress: 'revealed', sameAnswer: true });
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('all questions that were asked in the chat are known', () => {
    const state = resume(
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
    const state = receive(stateBefore, {
      event: 'session_resumed',
      data: {
        sessionId,
        // The match has `seq` 1, the question 2, and the waiting frame 3.
        seq: 4,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        events: [toServerFrame(createRevealFrame(soupAnswer, soupAnswer), 4)],
        last: true,
      },
    });
    expect(getGame(state)).toMatchObject({ progress: 'revealed', userResponse: soupAnswer });
    expect(getSession(state).celebratedGame).toBeNull();
  });
});

it('closes an open game when the chat ends', () => {
  for (const steps of [
    [partnerQuestionFrame],
    [partnerQuestionFrame, createAnswerAction(soupAnswer), waitingFrame],
  ]) {
    const playing = play(createChatState(), ...steps);
    const state = receive(playing, {
      event: 'chat_skipped',
      data: { sessionId, seq: getSession(playing).seq + 1, reason: 'skipped', endedBy: partner.id },
    });
    expect(state.phase).toBe('skipped');
    expect(getGame(state).progress).toBe('closed');
    expect(listSystemTexts(state)).toEqual([]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
  }
  // `sessionVanished`: the server has no chat for the user, and `chat_skipped` has not arrived in time.
  const vanished = reduce(play(createChatState(), partnerQuestionFrame), {
    type: 'sessionVanished',
    sessionId,
  }).state;
  expect(getGame(vanished).progress).toBe('closed');
});
