import { type ServerFrame } from '@thaw/contract/server-frames';
import { type GameAction, type GameData } from '@/features/random-chat/icebreaker/game';
import { findOpenGame, listAskedQuestionIds } from '@/features/random-chat/icebreaker/game-events';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  type GameFrame,
  partnerQuestionFrame,
  createAnswerAction,
  createChatState,
  createFailureAction,
  createIgnoredFrame,
  createQuestionFrame,
  createRevealFrame,
  filmAnswer,
  getGame,
  getSession,
  ignoreAction,
  listMessages,
  listSystemTexts,
  me,
  otherQuestion,
  partner,
  partnerAnsweredFrame,
  play,
  question,
  receive,
  soupAnswer,
  toServerFrame,
  waitingFrame,
} from '@/testing/game-frames';

// `play` applies frames of the server and moves of the user in turn. All belong to the game g1 in the session s1 unless
// a test says otherwise. Each frame gets the next `seq` of the session; the match had 1.
//
// `waitingFrame` reports that the user's answer is stored, and `partnerAnsweredFrame` that the partner has answered.
// `me` is the id of the user.

/** The user answers with the option soup. */
const soupMove = createAnswerAction(soupAnswer);
/** The user answers with the option film. */
const filmMove = createAnswerAction(filmAnswer);
/** The server has refused the user's last move. */
const refusedMove = createFailureAction({ isRefused: true });
/** The connection was lost before the server responded to the user's last move. */
const interruptedMove = createFailureAction({ isRefused: false });

describe('a question', () => {
  it('is shown as a card of the user who asked, with all its data', () => {
    const state = play(createChatState(), partnerQuestionFrame);
    expect(listMessages(state)).toEqual([
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
    expect(findOpenGame(getSession(state))).toEqual(getGame(state));
  });

  it('is shown once when its frame is received again', () => {
    const state = play(createChatState(), partnerQuestionFrame);
    const repeatedFrame = toServerFrame(partnerQuestionFrame, getSession(state).seq);
    expect(listMessages(receive(state, repeatedFrame))).toHaveLength(1);
  });

  it('is shown once when a new event asks it again in the same game', () => {
    const state = play(createChatState(), partnerQuestionFrame, partnerQuestionFrame);
    expect(listMessages(state)).toHaveLength(1);
  });

  it('is ignored when it belongs to another session', () => {
    const frameOfOtherSession = {
      event: 'break_ice_question_received',
      data: { ...partnerQuestionFrame.data, sessionId: 's2', seq: 2 },
    };
    const state = createChatState();
    expect(receive(state, frameOfOtherSession as ServerFrame)).toBe(state);
  });

  it('counts as asked, whether its game was ignored or is open', () => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
    expect(findOpenGame(getSession(state))?.gameId).toBe('g2');
  });
});

describe('when both users start a game at the same time', () => {
  it('shows only the card of the question that the server accepted', () => {
    // Only a frame adds a card. The user's own question is refused with game_active, so it has no frame.
    const state = play(createChatState(), partnerQuestionFrame);
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual(['break_ice_question']);
    expect(listMessages(state)[0]?.senderId).toBe(partner.id);
  });
});

describe('an answer', () => {
  it('is marked and locked at once', () => {
    const state = play(createChatState(), partnerQuestionFrame, soupMove);
    expect(getGame(state)).toMatchObject({ userResponse: soupAnswer, progress: 'sending' });
    expect(listSystemTexts(state)).toEqual([]);
  });

  it('waits for the partner when it is stored', () => {
    const state = play(createChatState(), partnerQuestionFrame, soupMove, waitingFrame);
    expect(getGame(state)).toMatchObject({
      userResponse: soupAnswer,
      progress: 'answered',
      hasPartnerAnswered: false,
    });
    expect(listSystemTexts(state)).toEqual(['Waiting response from your chat partner...']);
    expect(listMessages(state)[1]?.card?.kind).toBe('break_ice_waiting');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it.each<[string, (GameAction | GameFrame)[]]>([
    ['while it is being sent', [soupMove]],
    ['after it is stored', [soupMove, waitingFrame]],
  ])('cannot be changed or followed by Ignore %s', (_when, steps) => {
    const state = play(createChatState(), partnerQuestionFrame, ...steps);
    expect(play(state, filmMove)).toEqual(state);
    expect(play(state, ignoreAction)).toEqual(state);
  });

  it('must be one of the options of a known game in the current session', () => {
    const state = play(createChatState(), partnerQuestionFrame);
    expect(play(state, createAnswerAction('something else'))).toEqual(state);
    expect(play(state, { ...soupMove, gameId: 'g9' })).toEqual(state);
    expect(play(state, { ...soupMove, sessionId: 's9' } as GameAction)).toEqual(state);
  });

  it('of the partner is shown without its content', () => {
    const state = play(createChatState(), partnerQuestionFrame, partnerAnsweredFrame);
    expect(getGame(state)).toMatchObject({
      hasPartnerAnswered: true,
      partnerResponse: null,
      userResponse: null,
      progress: 'open',
    });
    expect(listSystemTexts(state)).toEqual([]);
  });

  it('is no longer marked after a refusal, and can be given again', () => {
    const refused = play(createChatState(), partnerQuestionFrame, soupMove, refusedMove);
    expect(getGame(refused)).toMatchObject({ userResponse: null, progress: 'open' });
    expect(getGame(play(refused, filmMove))).toMatchObject({ userResponse: filmAnswer, progress: 'sending' });
  });

  describe('that was interrupted by a lost connection', () => {
    const interrupted = play(createChatState(), partnerQuestionFrame, soupMove, interruptedMove);

    it('stays marked', () => {
      expect(getGame(interrupted)).toMatchObject({ userResponse: soupAnswer, progress: 'open' });
    });

    it('waits for the partner if the server has stored it', () => {
      const state = play(interrupted, waitingFrame);
      expect(getGame(state)).toMatchObject({ userResponse: soupAnswer, progress: 'answered' });
    });

    it('can be given again', () => {
      const state = play(interrupted, filmMove);
      expect(getGame(state)).toMatchObject({ userResponse: filmAnswer, progress: 'sending' });
    });
  });

  it('from another tab of the user clears the refused choice of this tab', () => {
    // `waitingFrame` reports the answer of the other tab, but does not contain it. So this tab's answer is refused.
    const state = play(createChatState(), partnerQuestionFrame, soupMove, waitingFrame, refusedMove);
    expect(getGame(state)).toMatchObject({ userResponse: null, progress: 'answered' });
  });
});

describe('the reveal', () => {
  describe.each([
    [soupAnswer, soupAnswer, true],
    [soupAnswer, filmAnswer, false],
  ])("of '%s' and '%s', with sameAnswer %s", (mine, theirs, sameAnswer) => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      createAnswerAction(mine),
      waitingFrame,
      createRevealFrame(mine, theirs),
    );
    const result = { userResponse: mine, partnerResponse: theirs, sameAnswer, progress: 'revealed' };

    it('ends the game with both answers', () => {
      expect(getGame(state)).toMatchObject(result);
      expect(findOpenGame(getSession(state))).toBeUndefined();
    });

    it('is a card of its own, in place of the notice that the game waits for the partner', () => {
      expect(listMessages(state).map(({ card }) => card?.kind)).toEqual([
        'break_ice_question',
        'break_ice_reveal',
      ]);
      expect(listMessages(state)[1]?.card).toMatchObject({ game: result });
      expect(listSystemTexts(state)).toEqual([]);
    });

    it('starts a visual effect, which depends on isMatch', () => {
      expect(getSession(state).celebratedGame).toEqual({ gameId: 'g1', isMatch: sameAnswer });
    });
  });

  it('ends the game: later frames and moves change nothing', () => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      soupMove,
      createRevealFrame(soupAnswer, filmAnswer),
    );
    const lateFrames = [
      createIgnoredFrame(partner.id),
      createRevealFrame(filmAnswer, filmAnswer),
      waitingFrame,
      partnerAnsweredFrame,
    ];
    for (const lateFrame of lateFrames) {
      expect(getSession(play(state, lateFrame)).messages).toBe(getSession(state).messages);
    }
    expect(play(state, refusedMove)).toEqual(state);
    expect(play(state, filmMove)).toEqual(state);
  });

  it('is celebrated until the effect of this game has ended', () => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      soupMove,
      createRevealFrame(soupAnswer, soupAnswer),
    );
    const afterEffectOfEarlierGame = reduce(state, { type: 'celebrationEnded', gameId: 'g0' }).state;
    expect(getSession(afterEffectOfEarlierGame).celebratedGame).not.toBeNull();
    const afterItsEffect = reduce(state, { type: 'celebrationEnded', gameId: 'g1' }).state;
    expect(getSession(afterItsEffect).celebratedGame).toBeNull();
  });
});

describe('an ignored game', () => {
  it.each<[string, number, GameData['userResponse'], string]>([
    ['the user', me, 'IGNORED_BY_USER', 'You decided to not break the ice'],
    ['the partner', partner.id, 'IGNORED_BY_PARTNER', 'Your partner decided to not break the ice'],
  ])('shows that it was ignored by %s', (_who, userId, userResponse, notice) => {
    const state = play(createChatState(), partnerQuestionFrame, createIgnoredFrame(userId));
    // `userResponse` records who ignored the game (docs/product-decisions.md, A81).
    expect(getGame(state)).toMatchObject({ userResponse, progress: 'ignored', partnerResponse: null });
    expect(listSystemTexts(state)).toEqual([notice]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
    expect(getSession(state).celebratedGame).toBeNull();
  });

  describe('when the partner ignores it while the user answers', () => {
    const answering = play(createChatState(), createQuestionFrame(me), soupMove);
    const ignoredByPartner = createIgnoredFrame(partner.id);
    const storedAnswerFirst = play(answering, waitingFrame, ignoredByPartner);

    it('does not reveal an answer that the server has stored first', () => {
      const game = getGame(storedAnswerFirst);
      expect(game).toMatchObject({ userResponse: 'IGNORED_BY_PARTNER', progress: 'ignored' });
      expect(listSystemTexts(storedAnswerFirst)).toEqual(['Your partner decided to not break the ice']);
    });

    it.each<[string, (GameAction | GameFrame)[]]>([
      ['before the refusal', [ignoredByPartner, refusedMove]],
      ['after the refusal', [refusedMove, ignoredByPartner]],
    ])('has the same state if the answer is refused, and break_ice_ignored arrives %s', (_when, steps) => {
      expect(getGame(play(answering, ...steps))).toEqual(getGame(storedAnswerFirst));
    });
  });

  it('is locked while Ignore is being sent, and open again when the server refuses it', () => {
    const state = play(createChatState(), partnerQuestionFrame, ignoreAction);
    expect(getGame(state)).toMatchObject({ progress: 'sending', userResponse: null });
    expect(play(state, soupMove)).toEqual(state);
    expect(getGame(play(state, refusedMove))).toMatchObject({ progress: 'open', userResponse: null });
  });

  it('may be followed by a new game, whose card is shown after the notice', () => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      createIgnoredFrame(me),
      createQuestionFrame(me, 'g2', otherQuestion),
    );
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual([
      'break_ice_question',
      // The notice that the user ignored the first game has no card.
      undefined,
      'break_ice_question',
    ]);
  });
});

describe('a frame of an unknown game', () => {
  it.each([
    waitingFrame,
    partnerAnsweredFrame,
    createRevealFrame(soupAnswer, filmAnswer),
    createIgnoredFrame(partner.id),
  ])('changes only the seq of the session: $event', (frame) => {
    const state = createChatState();
    const after = play(state, frame);
    expect(getSession(after)).toEqual({ ...getSession(state), seq: 2 });
  });
});
