import { findOpenGame, listAskedQuestionIds } from '@/features/random-chat/icebreaker/game-events';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import { createInitialState, type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';
import {
  type GameFrame,
  askedByPartner,
  createAnswer,
  createChatState,
  createIgnoredFrame,
  createQuestionFrame,
  createRevealFrame,
  getCard,
  getSession,
  listNotices,
  listRows,
  me,
  otherQuestion,
  partner,
  partnerAnswered,
  play,
  question,
  receive,
  sessionId,
  soup,
  toServerFrame,
  waiting,
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
        events: frames.map((frame, index) => toServerFrame(frame, index + 2)),
        last: true,
      },
    });

  it('an open game is still open', () => {
    const state = resume(askedByPartner);
    expect(getCard(state).progress).toBe('open');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('a game that the user has answered waits for the partner, with the answer unknown', () => {
    const state = resume(createQuestionFrame(me), waiting);
    expect(getCard(state)).toMatchObject({ progress: 'answered', userResponse: null });
    expect(listNotices(state)).toEqual(['Waiting response from your chat partner...']);
  });

  it('a game that the partner has answered shows it', () => {
    expect(getCard(resume(createQuestionFrame(me), partnerAnswered))).toMatchObject({
      progress: 'open',
      hasPartnerAnswered: true,
    });
  });

  it('a revealed game is shown without a celebration', () => {
    const state = resume(askedByPartner, waiting, createRevealFrame(soup, soup));
    expect(getCard(state)).toMatchObject({ progress: 'revealed', sameAnswer: true });
    expect(listRows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('the questions asked before are known', () => {
    const state = resume(
      askedByPartner,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
  });
});

describe('after a reconnect', () => {
  it("a game continues with the missed events, and the user's choice is still marked", () => {
    const before = play(createChatState(), askedByPartner, createAnswer(soup), waiting);
    const state = receive(before, {
      event: 'session_resumed',
      data: {
        sessionId,
        seq: 4,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        events: [toServerFrame(createRevealFrame(soup, soup), 4)],
        last: true,
      },
    });
    expect(getCard(state)).toMatchObject({ progress: 'revealed', userResponse: soup });
    expect(getSession(state).celebratedGame).toBeNull();
  });
});

it('closes an open game when the chat ends', () => {
  for (const before of [[askedByPartner], [askedByPartner, createAnswer(soup), waiting]]) {
    const playing = play(createChatState(), ...before);
    const state = receive(playing, {
      event: 'chat_skipped',
      data: { sessionId, seq: getSession(playing).seq + 1, reason: 'skipped', endedBy: partner.id },
    });
    expect(state.phase).toBe('skipped');
    expect(getCard(state).progress).toBe('closed');
    expect(listNotices(state)).toEqual([]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
  }
  const vanished = reduce(play(createChatState(), askedByPartner), {
    type: 'sessionVanished',
    sessionId,
  }).state;
  expect(getCard(vanished).progress).toBe('closed');
});
