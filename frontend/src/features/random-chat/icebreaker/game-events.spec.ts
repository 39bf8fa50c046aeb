import { type ServerFrame } from '@thaw/contract/server-frames';
import { type GameAction, type GameData } from '@/features/random-chat/icebreaker/game';
import { findOpenGame, listAskedQuestionIds } from '@/features/random-chat/icebreaker/game-events';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  type GameFrame,
  askedByPartner,
  createAnswer,
  createChatState,
  createFailure,
  createIgnoredFrame,
  createQuestionFrame,
  createRevealFrame,
  film,
  getCard,
  getSession,
  ignore,
  listNotices,
  listRows,
  me,
  otherQuestion,
  partner,
  partnerAnswered,
  play,
  question,
  receive,
  soup,
  toServerFrame,
  waiting,
} from '@/testing/game-frames';

describe('the question', () => {
  it('is shown as a card of the user who asked, with all its data', () => {
    const state = play(createChatState(), askedByPartner);
    expect(listRows(state)).toEqual([
      expect.objectContaining({
        senderId: partner.id,
        content: question.question,
        card: {
          kind: 'break_ice_question',
          game: {
            gameId: 'g1',
            questionId: question.id,
            question: question.question,
            options: question.options,
            userResponse: null,
            partnerResponse: null,
            sameAnswer: null,
            progress: 'open',
            hasPartnerAnswered: false,
          },
        },
      }),
    ]);
    expect(findOpenGame(getSession(state))).toEqual(getCard(state));
  });

  it('is shown once when its frame is received again', () => {
    const state = play(createChatState(), askedByPartner);
    expect(listRows(receive(state, toServerFrame(askedByPartner, 2)))).toHaveLength(1);
    expect(listRows(play(state, askedByPartner))).toHaveLength(1);
  });

  it('is ignored when it belongs to another session', () => {
    const foreign = {
      event: 'break_ice_question_received',
      data: { ...askedByPartner.data, sessionId: 's2', seq: 2 },
    };
    const state = createChatState();
    expect(receive(state, foreign as ServerFrame)).toBe(state);
  });

  it('counts as asked, whatever the outcome of its game', () => {
    const state = play(
      createChatState(),
      askedByPartner,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
    expect(findOpenGame(getSession(state))?.gameId).toBe('g2');
  });
});

describe('when both users start a game at the same time', () => {
  it('shows only the card that the server accepted', () => {
    // The user's own start was refused with game_active, which does not change the state.
    const state = play(createChatState(), askedByPartner);
    expect(listRows(state).map(({ card: shown }) => shown?.kind)).toEqual(['break_ice_question']);
    expect(listRows(state)[0]?.senderId).toBe(partner.id);
  });
});

describe('the first answer', () => {
  it('is marked and locked at once, and waits for the partner once it is stored', () => {
    const moved = play(createChatState(), askedByPartner, createAnswer(soup));
    expect(getCard(moved)).toMatchObject({ userResponse: soup, progress: 'sending' });
    expect(listNotices(moved)).toEqual([]);
    const state = play(moved, waiting);
    expect(getCard(state)).toMatchObject({
      userResponse: soup,
      progress: 'answered',
      hasPartnerAnswered: false,
    });
    expect(listNotices(state)).toEqual(['Waiting response from your chat partner...']);
    expect(listRows(state)[1]?.card?.kind).toBe('break_ice_waiting');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('is final', () => {
    for (const before of [[createAnswer(soup)], [createAnswer(soup), waiting]]) {
      const state = play(createChatState(), askedByPartner, ...before);
      expect(play(state, createAnswer(film))).toEqual(state);
      expect(play(state, ignore)).toEqual(state);
    }
  });

  it('must be one of the five options of a known game', () => {
    const state = play(createChatState(), askedByPartner);
    expect(play(state, createAnswer('something else'))).toEqual(state);
    expect(play(state, { ...ignore, gameId: 'g9' })).toEqual(state);
    expect(play(state, { ...createAnswer(soup), sessionId: 's9' } as GameAction)).toEqual(state);
  });

  it('of the partner is announced without its content', () => {
    const state = play(createChatState(), askedByPartner, partnerAnswered);
    expect(getCard(state)).toMatchObject({
      hasPartnerAnswered: true,
      partnerResponse: null,
      userResponse: null,
      progress: 'open',
    });
    expect(listNotices(state)).toEqual([]);
  });

  it('can be repeated when the server refuses it, and stays marked when the connection is lost', () => {
    const moved = play(createChatState(), askedByPartner, createAnswer(soup));
    expect(getCard(play(moved, createFailure(true)))).toMatchObject({ userResponse: null, progress: 'open' });
    const cut = play(moved, createFailure(false));
    expect(getCard(cut)).toMatchObject({ userResponse: soup, progress: 'open' });
    // It had arrived nevertheless.
    expect(getCard(play(cut, waiting))).toMatchObject({ userResponse: soup, progress: 'answered' });
    expect(getCard(play(cut, createAnswer(film)))).toMatchObject({ userResponse: film, progress: 'sending' });
  });

  it('from another page of the user clears the refused choice of this page', () => {
    const state = play(createChatState(), askedByPartner, createAnswer(soup), waiting, createFailure(true));
    expect(getCard(state)).toMatchObject({ userResponse: null, progress: 'answered' });
  });
});

describe('the reveal', () => {
  it.each([
    [soup, soup, true],
    [soup, film, false],
  ])("of '%s' and '%s' sets sameAnswer to %s", (mine, theirs, sameAnswer) => {
    const state = play(
      createChatState(),
      askedByPartner,
      createAnswer(mine),
      waiting,
      createRevealFrame(mine, theirs),
    );
    const result = { userResponse: mine, partnerResponse: theirs, sameAnswer, progress: 'revealed' };
    expect(listRows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getCard(state)).toMatchObject(result);
    expect(listRows(state)[1]?.card).toMatchObject({ game: result });
    expect(listNotices(state)).toEqual([]);
    expect(getSession(state).celebratedGame).toEqual({ gameId: 'g1', isMatch: sameAnswer });
    expect(findOpenGame(getSession(state))).toBeUndefined();
  });

  it('ends the game: later frames and moves change nothing', () => {
    const state = play(createChatState(), askedByPartner, createAnswer(soup), createRevealFrame(soup, film));
    const { messages } = getSession(state);
    for (const late of [
      createIgnoredFrame(partner.id),
      createRevealFrame(film, film),
      waiting,
      partnerAnswered,
    ]) {
      expect(getSession(play(state, late)).messages).toBe(messages);
    }
    expect(play(state, createFailure(true))).toEqual(state);
    expect(play(state, createAnswer(film))).toEqual(state);
  });

  it('is celebrated until the effect of the same game is over', () => {
    const state = play(createChatState(), askedByPartner, createAnswer(soup), createRevealFrame(soup, soup));
    expect(
      getSession(reduce(state, { type: 'celebrationEnded', gameId: 'g0' }).state).celebratedGame,
    ).not.toBeNull();
    expect(
      getSession(reduce(state, { type: 'celebrationEnded', gameId: 'g1' }).state).celebratedGame,
    ).toBeNull();
  });
});

describe('an ignored game', () => {
  it.each<[string, number, GameData['userResponse'], string]>([
    ['me', me, 'IGNORED_BY_USER', 'You decided to not break the ice'],
    ['the partner', partner.id, 'IGNORED_BY_PARTNER', 'Your partner decided to not break the ice'],
  ])('shows that it was ignored by %s', (_who, userId, userResponse, notice) => {
    const state = play(createChatState(), askedByPartner, createIgnoredFrame(userId));
    expect(getCard(state)).toMatchObject({ userResponse, progress: 'ignored', partnerResponse: null });
    expect(listNotices(state)).toEqual([notice]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('never reveals an answer given at the same time', () => {
    const crossing = play(
      createChatState(),
      createQuestionFrame(me),
      createAnswer(soup),
      waiting,
      createIgnoredFrame(partner.id),
    );
    expect(getCard(crossing)).toMatchObject({ userResponse: 'IGNORED_BY_PARTNER', progress: 'ignored' });
    expect(listNotices(crossing)).toEqual(['Your partner decided to not break the ice']);
    // In the other order, the server refuses the answer before or after the event arrives.
    const first = play(
      createChatState(),
      createQuestionFrame(me),
      createAnswer(soup),
      createIgnoredFrame(partner.id),
      createFailure(true),
    );
    expect(getCard(first)).toEqual(getCard(crossing));
    expect(
      getCard(
        play(
          createChatState(),
          createQuestionFrame(me),
          createAnswer(soup),
          createFailure(true),
          createIgnoredFrame(partner.id),
        ),
      ),
    ).toEqual(getCard(crossing));
  });

  it('is locked while Ignore is in flight', () => {
    const state = play(createChatState(), askedByPartner, ignore);
    expect(getCard(state)).toMatchObject({ progress: 'sending', userResponse: null });
    expect(play(state, createAnswer(soup))).toEqual(state);
    expect(getCard(play(state, createFailure(true)))).toMatchObject({ progress: 'open', userResponse: null });
  });

  it('allows a new game', () => {
    const state = play(
      createChatState(),
      askedByPartner,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listRows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      undefined,
      'break_ice_question',
    ]);
  });
});

describe('a frame of an unknown game', () => {
  it.each<[string, GameFrame]>([
    ['waiting', waiting],
    ['answered', partnerAnswered],
    ['revealed', createRevealFrame(soup, film)],
    ['ignored', createIgnoredFrame(partner.id)],
  ])('(%s) changes only the version', (_what, frame) => {
    const state = createChatState();
    const after = play(state, frame);
    expect(getSession(after)).toEqual({ ...getSession(state), seq: 2 });
  });
});
