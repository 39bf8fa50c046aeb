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

// `play` applies frames of the server and actions of the user in turn, and gives each frame the next `seq`. Frames and
// actions belong to the game g1 and the session s1 unless a test says otherwise. `waitingFrame` reports that the user's
// answer is stored, and `partnerAnsweredFrame` that the partner has answered. `me` is the id of the user.

/** The user chooses one of the question's options. */
const soupMove = createAnswerAction(soupAnswer);
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
    const seqOfQuestion = 2; // the match has 1
    expect(listMessages(receive(state, toServerFrame(partnerQuestionFrame, seqOfQuestion)))).toHaveLength(1);
    // The same game again, as a new event.
    expect(listMessages(play(state, partnerQuestionFrame))).toHaveLength(1);
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
    // A question is shown when its frame is received. The user's own is refused with game_active, so it has no frame.
    const state = play(createChatState(), partnerQuestionFrame);
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual(['break_ice_question']);
    expect(listMessages(state)[0]?.senderId).toBe(partner.id);
  });
});

describe('an answer', () => {
  it('is marked and locked at once, and waits for the partner when it is stored', () => {
    const moved = play(createChatState(), partnerQuestionFrame, soupMove);
    expect(getGame(moved)).toMatchObject({ userResponse: soupAnswer, progress: 'sending' });
    expect(listSystemTexts(moved)).toEqual([]);
    const state = play(moved, waitingFrame);
    expect(getGame(state)).toMatchObject({
      userResponse: soupAnswer,
      progress: 'answered',
      hasPartnerAnswered: false,
    });
    expect(listSystemTexts(state)).toEqual(['Waiting response from your chat partner...']);
    expect(listMessages(state)[1]?.card?.kind).toBe('break_ice_waiting');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('cannot be changed or followed by Ignore', () => {
    for (const steps of [[soupMove], [soupMove, waitingFrame]]) {
      const state = play(createChatState(), partnerQuestionFrame, ...steps);
      expect(play(state, filmMove)).toEqual(state);
      expect(play(state, ignoreAction)).toEqual(state);
    }
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

  it('can be given again when it is refused or the connection is lost, and stays marked in the second case', () => {
    const moved = play(createChatState(), partnerQuestionFrame, soupMove);
    const refused = play(moved, refusedMove);
    expect(getGame(refused)).toMatchObject({ userResponse: null, progress: 'open' });
    expect(getGame(play(refused, filmMove))).toMatchObject({ userResponse: filmAnswer, progress: 'sending' });
    const interrupted = play(moved, interruptedMove);
    expect(getGame(interrupted)).toMatchObject({ userResponse: soupAnswer, progress: 'open' });
    // If the server has received the answer, its frame still arrives.
    expect(getGame(play(interrupted, waitingFrame))).toMatchObject({
      userResponse: soupAnswer,
      progress: 'answered',
    });
    // If not, the user can answer again.
    expect(getGame(play(interrupted, filmMove))).toMatchObject({
      userResponse: filmAnswer,
      progress: 'sending',
    });
  });

  it('from another tab of the user clears the refused choice of this tab', () => {
    // `waitingFrame` reports the answer of the other tab without its content. The server refuses the one of this tab.
    const state = play(createChatState(), partnerQuestionFrame, soupMove, waitingFrame, refusedMove);
    expect(getGame(state)).toMatchObject({ userResponse: null, progress: 'answered' });
  });
});

describe('the reveal', () => {
  it.each([
    [soupAnswer, soupAnswer, true],
    [soupAnswer, filmAnswer, false],
  ])("of '%s' and '%s' sets sameAnswer to %s", (mine, theirs, sameAnswer) => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      createAnswerAction(mine),
      waitingFrame,
      createRevealFrame(mine, theirs),
    );
    const result = { userResponse: mine, partnerResponse: theirs, sameAnswer, progress: 'revealed' };
    expect(listMessages(state).map(({ card }) => card?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getGame(state)).toMatchObject(result);
    expect(listMessages(state)[1]?.card).toMatchObject({ game: result });
    expect(listSystemTexts(state)).toEqual([]);
    // Every reveal has a visual effect; `isMatch` selects it.
    expect(getSession(state).celebratedGame).toEqual({ gameId: 'g1', isMatch: sameAnswer });
    expect(findOpenGame(getSession(state))).toBeUndefined();
  });

  it('ends the game: later frames and moves change nothing', () => {
    const state = play(
      createChatState(),
      partnerQuestionFrame,
      soupMove,
      createRevealFrame(soupAnswer, filmAnswer),
    );
    const { messages } = getSession(state);
    for (const lateFrame of [
      createIgnoredFrame(partner.id),
      createRevealFrame(filmAnswer, filmAnswer),
      waitingFrame,
      partnerAnsweredFrame,
    ]) {
      expect(getSession(play(state, lateFrame)).messages).toBe(messages);
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

  it('never reveals an answer that was given at the same time as Ignore', () => {
    const answeredFirst = play(
      createChatState(),
      createQuestionFrame(me),
      soupMove,
      waitingFrame,
      createIgnoredFrame(partner.id),
    );
    expect(getGame(answeredFirst)).toMatchObject({ userResponse: 'IGNORED_BY_PARTNER', progress: 'ignored' });
    expect(listSystemTexts(answeredFirst)).toEqual(['Your partner decided to not break the ice']);
    // In the other order, the server refuses the answer. The refusal arrives after or before `break_ice_ignored`.
    const ignoredFirst = play(
      createChatState(),
      createQuestionFrame(me),
      soupMove,
      createIgnoredFrame(partner.id),
      refusedMove,
    );
    expect(getGame(ignoredFirst)).toEqual(getGame(answeredFirst));
    expect(
      getGame(
        play(
          createChatState(),
          createQuestionFrame(me),
          soupMove,
          refusedMove,
          createIgnoredFrame(partner.id),
        ),
      ),
    ).toEqual(getGame(answeredFirst));
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
  it.each<[string, GameFrame]>([
    ['waiting', waitingFrame],
    ['answered', partnerAnsweredFrame],
    ['revealed', createRevealFrame(soupAnswer, filmAnswer)],
    ['ignored', createIgnoredFrame(partner.id)],
  ])('(%s) changes only the seq of the session', (_progress, frame) => {
    const state = createChatState();
    const after = play(state, frame);
    // The match has the `seq` 1.
    expect(getSession(after)).toEqual({ ...getSession(state), seq: 2 });
  });
});
