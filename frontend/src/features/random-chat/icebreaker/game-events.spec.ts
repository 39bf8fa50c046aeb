import { questions } from '@thaw/contract/questions';
import { type Question } from '@thaw/contract/random-chat';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { readQuestionGame, type GameAction, type GameData } from '@/features/random-chat/icebreaker/game';
import { listAskedQuestionIds, findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  initialState,
  type RandomChatState,
  type Session,
} from '@/features/random-chat/reducer/random-chat.state';
import { aPartner } from '@/testing/factories';

const me = 7;
const partner = aPartner();
const at = Date.parse('2026-11-20T12:00:00.000Z');
const sessionId = 's1';
const [question, otherQuestion] = questions as [Question, Question];
const [soup, film] = question.options as [string, string];

type GameEvent = Extract<ServerEvent, `break_ice_${string}`>;
type Frame = { [E in GameEvent]: { event: E; data: Omit<ServerData<E>, 'sessionId' | 'seq'> } }[GameEvent];

const receive = (state: RandomChatState, frame: ServerFrame): RandomChatState =>
  reduce(state, { type: 'frameReceived', frame, me, nowMs: at }).state;

const stored = (frame: Frame, seq: number): ServerFrame =>
  ({ event: frame.event, data: { ...frame.data, sessionId, seq } }) as ServerFrame;

const inChat = (): RandomChatState =>
  receive(
    { ...initialState(), phase: 'searching' },
    { event: 'chat_matched', data: { sessionId, seq: 1, partnerId: partner.id, partnerInfo: partner } },
  );

/** Applies moves of the user, or events, each with the next `seq`. */
const play = (state: RandomChatState, ...happenings: (Frame | GameAction)[]): RandomChatState =>
  happenings.reduce(
    (now, one) =>
      'type' in one ? reduce(now, one).state : receive(now, stored(one, (now.session?.seq ?? 0) + 1)),
    state,
  );

const asked = (initiatorId: number, gameId = 'g1', asks = question): Frame => ({
  event: 'break_ice_question_received',
  data: { gameId, question: asks, initiatorId },
});
const askedByPartner = asked(partner.id);
const waiting: Frame = {
  event: 'break_ice_partner_responded_waiting',
  data: { gameId: 'g1', message: 'Waiting response from your chat partner...' },
};
const partnerAnswered: Frame = { event: 'break_ice_partner_answered', data: { gameId: 'g1' } };
const revealed = (yourResponse: string, theirResponse: string): Frame => ({
  event: 'break_ice_reveal_results',
  data: { gameId: 'g1', question, yourResponse, theirResponse, sameAnswer: yourResponse === theirResponse },
});
const ignoredBy = (userId: number): Frame => ({
  event: 'break_ice_ignored',
  data: { gameId: 'g1', ignoredBy: userId },
});
const answer = (response: string): GameAction => ({ type: 'gameMoved', sessionId, gameId: 'g1', response });
const ignore: GameAction = { type: 'gameMoved', sessionId, gameId: 'g1', response: null };
const failed = (isRefused: boolean): GameAction => ({
  type: 'gameMoveFailed',
  sessionId,
  gameId: 'g1',
  isRefused,
});

const getSession = ({ session }: RandomChatState): Session => {
  if (!session) throw new Error('No chat');
  return session;
};
/** The rows without the welcome. */
const rows = (state: RandomChatState): readonly ChatMessage[] =>
  getSession(state).messages.filter(({ id }) => !id.startsWith('welcome'));
const card = (state: RandomChatState): GameData => {
  const [game] = getSession(state).messages.flatMap((message) => readQuestionGame(message) ?? []);
  if (!game) throw new Error('No card');
  return game;
};
const notices = (state: RandomChatState): string[] =>
  rows(state)
    .filter(({ senderId, card }) => senderId === 0 && card?.kind !== 'break_ice_reveal')
    .map(({ content }) => content);

describe('the question', () => {
  it('is shown as a card of the user who asked, with all its data', () => {
    const state = play(inChat(), askedByPartner);
    expect(rows(state)).toEqual([
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
    expect(findOpenGame(getSession(state))).toEqual(card(state));
  });

  it('is shown once when its frame is received again', () => {
    const state = play(inChat(), askedByPartner);
    expect(rows(receive(state, stored(askedByPartner, 2)))).toHaveLength(1);
    expect(rows(play(state, askedByPartner))).toHaveLength(1);
  });

  it('is ignored when it belongs to another session', () => {
    const foreign = {
      event: 'break_ice_question_received',
      data: { ...askedByPartner.data, sessionId: 's2', seq: 2 },
    };
    const state = inChat();
    expect(receive(state, foreign as ServerFrame)).toBe(state);
  });

  it('counts as asked, whatever the outcome of its game', () => {
    const state = play(inChat(), askedByPartner, ignoredBy(me), asked(me, 'g2', otherQuestion));
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
    expect(findOpenGame(getSession(state))?.gameId).toBe('g2');
  });
});

describe('when both users start a game at the same time', () => {
  it('shows only the card that the server accepted', () => {
    // The user's own start was refused with game_active, which does not change the state.
    const state = play(inChat(), askedByPartner);
    expect(rows(state).map(({ card: shown }) => shown?.kind)).toEqual(['break_ice_question']);
    expect(rows(state)[0]?.senderId).toBe(partner.id);
  });
});

describe('the first answer', () => {
  it('is marked and locked at once, and waits for the partner once it is stored', () => {
    const moved = play(inChat(), askedByPartner, answer(soup));
    expect(card(moved)).toMatchObject({ userResponse: soup, progress: 'sending' });
    expect(notices(moved)).toEqual([]);
    const state = play(moved, waiting);
    expect(card(state)).toMatchObject({
      userResponse: soup,
      progress: 'answered',
      hasPartnerAnswered: false,
    });
    expect(notices(state)).toEqual(['Waiting response from your chat partner...']);
    expect(rows(state)[1]?.card?.kind).toBe('break_ice_waiting');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('is final', () => {
    for (const before of [[answer(soup)], [answer(soup), waiting]]) {
      const state = play(inChat(), askedByPartner, ...before);
      expect(play(state, answer(film))).toEqual(state);
      expect(play(state, ignore)).toEqual(state);
    }
  });

  it('must be one of the five options of a known game', () => {
    const state = play(inChat(), askedByPartner);
    expect(play(state, answer('something else'))).toEqual(state);
    expect(play(state, { ...ignore, gameId: 'g9' })).toEqual(state);
    expect(play(state, { ...answer(soup), sessionId: 's9' } as GameAction)).toEqual(state);
  });

  it('of the partner is announced without its content', () => {
    const state = play(inChat(), askedByPartner, partnerAnswered);
    expect(card(state)).toMatchObject({
      hasPartnerAnswered: true,
      partnerResponse: null,
      userResponse: null,
      progress: 'open',
    });
    expect(notices(state)).toEqual([]);
  });

  it('can be repeated when the server refuses it, and stays marked when the connection is lost', () => {
    const moved = play(inChat(), askedByPartner, answer(soup));
    expect(card(play(moved, failed(true)))).toMatchObject({ userResponse: null, progress: 'open' });
    const cut = play(moved, failed(false));
    expect(card(cut)).toMatchObject({ userResponse: soup, progress: 'open' });
    // It had arrived nevertheless.
    expect(card(play(cut, waiting))).toMatchObject({ userResponse: soup, progress: 'answered' });
    expect(card(play(cut, answer(film)))).toMatchObject({ userResponse: film, progress: 'sending' });
  });

  it('from another page of the user clears the refused choice of this page', () => {
    const state = play(inChat(), askedByPartner, answer(soup), waiting, failed(true));
    expect(card(state)).toMatchObject({ userResponse: null, progress: 'answered' });
  });
});

describe('the reveal', () => {
  it.each([
    [soup, soup, true],
    [soup, film, false],
  ])("of '%s' and '%s' sets sameAnswer to %s", (mine, theirs, sameAnswer) => {
    const state = play(inChat(), askedByPartner, answer(mine), waiting, revealed(mine, theirs));
    const result = { userResponse: mine, partnerResponse: theirs, sameAnswer, progress: 'revealed' };
    expect(rows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(card(state)).toMatchObject(result);
    expect(rows(state)[1]?.card).toMatchObject({ game: result });
    expect(notices(state)).toEqual([]);
    expect(getSession(state).celebratedGame).toEqual({ gameId: 'g1', isMatch: sameAnswer });
    expect(findOpenGame(getSession(state))).toBeUndefined();
  });

  it('ends the game: later frames and moves change nothing', () => {
    const state = play(inChat(), askedByPartner, answer(soup), revealed(soup, film));
    const { messages } = getSession(state);
    for (const late of [ignoredBy(partner.id), revealed(film, film), waiting, partnerAnswered]) {
      expect(getSession(play(state, late)).messages).toBe(messages);
    }
    expect(play(state, failed(true))).toEqual(state);
    expect(play(state, answer(film))).toEqual(state);
  });

  it('is celebrated until the effect of the same game is over', () => {
    const state = play(inChat(), askedByPartner, answer(soup), revealed(soup, soup));
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
    const state = play(inChat(), askedByPartner, ignoredBy(userId));
    expect(card(state)).toMatchObject({ userResponse, progress: 'ignored', partnerResponse: null });
    expect(notices(state)).toEqual([notice]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('never reveals an answer given at the same time', () => {
    const crossing = play(inChat(), asked(me), answer(soup), waiting, ignoredBy(partner.id));
    expect(card(crossing)).toMatchObject({ userResponse: 'IGNORED_BY_PARTNER', progress: 'ignored' });
    expect(notices(crossing)).toEqual(['Your partner decided to not break the ice']);
    // In the other order, the server refuses the answer before or after the event arrives.
    const first = play(inChat(), asked(me), answer(soup), ignoredBy(partner.id), failed(true));
    expect(card(first)).toEqual(card(crossing));
    expect(card(play(inChat(), asked(me), answer(soup), failed(true), ignoredBy(partner.id)))).toEqual(
      card(crossing),
    );
  });

  it('is locked while Ignore is in flight', () => {
    const state = play(inChat(), askedByPartner, ignore);
    expect(card(state)).toMatchObject({ progress: 'sending', userResponse: null });
    expect(play(state, answer(soup))).toEqual(state);
    expect(card(play(state, failed(true)))).toMatchObject({ progress: 'open', userResponse: null });
  });

  it('allows a new game', () => {
    const state = play(inChat(), askedByPartner, ignoredBy(me), asked(me, 'g2', otherQuestion));
    expect(rows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      undefined,
      'break_ice_question',
    ]);
  });
});

describe('a frame of an unknown game', () => {
  it.each<[string, Frame]>([
    ['waiting', waiting],
    ['answered', partnerAnswered],
    ['revealed', revealed(soup, film)],
    ['ignored', ignoredBy(partner.id)],
  ])('(%s) changes only the version', (_what, frame) => {
    const state = inChat();
    const after = play(state, frame);
    expect(getSession(after)).toEqual({ ...getSession(state), seq: 2 });
  });
});

describe('after a reload', () => {
  const resume = (...frames: Frame[]): RandomChatState =>
    receive(initialState(), {
      event: 'session_resumed',
      data: {
        sessionId,
        seq: frames.length + 1,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        events: frames.map((frame, index) => stored(frame, index + 2)),
        last: true,
      },
    });

  it('an open game is still open', () => {
    const state = resume(askedByPartner);
    expect(card(state).progress).toBe('open');
    expect(findOpenGame(getSession(state))?.gameId).toBe('g1');
  });

  it('a game that the user has answered waits for the partner, with the answer unknown', () => {
    const state = resume(asked(me), waiting);
    expect(card(state)).toMatchObject({ progress: 'answered', userResponse: null });
    expect(notices(state)).toEqual(['Waiting response from your chat partner...']);
  });

  it('a game that the partner has answered shows it', () => {
    expect(card(resume(asked(me), partnerAnswered))).toMatchObject({
      progress: 'open',
      hasPartnerAnswered: true,
    });
  });

  it('a revealed game is shown without a celebration', () => {
    const state = resume(askedByPartner, waiting, revealed(soup, soup));
    expect(card(state)).toMatchObject({ progress: 'revealed', sameAnswer: true });
    expect(rows(state).map(({ card: shown }) => shown?.kind)).toEqual([
      'break_ice_question',
      'break_ice_reveal',
    ]);
    expect(getSession(state).celebratedGame).toBeNull();
  });

  it('the questions asked before are known', () => {
    const state = resume(askedByPartner, ignoredBy(me), asked(me, 'g2', otherQuestion));
    expect(listAskedQuestionIds(getSession(state))).toEqual([question.id, otherQuestion.id]);
  });
});

describe('after a reconnect', () => {
  it("a game continues with the missed events, and the user's choice is still marked", () => {
    const before = play(inChat(), askedByPartner, answer(soup), waiting);
    const state = receive(before, {
      event: 'session_resumed',
      data: {
        sessionId,
        seq: 4,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        events: [stored(revealed(soup, soup), 4)],
        last: true,
      },
    });
    expect(card(state)).toMatchObject({ progress: 'revealed', userResponse: soup });
    expect(getSession(state).celebratedGame).toBeNull();
  });
});

it('closes an open game when the chat ends', () => {
  for (const before of [[askedByPartner], [askedByPartner, answer(soup), waiting]]) {
    const playing = play(inChat(), ...before);
    const state = receive(playing, {
      event: 'chat_skipped',
      data: { sessionId, seq: getSession(playing).seq + 1, reason: 'skipped', endedBy: partner.id },
    });
    expect(state.phase).toBe('skipped');
    expect(card(state).progress).toBe('closed');
    expect(notices(state)).toEqual([]);
    expect(findOpenGame(getSession(state))).toBeUndefined();
  }
  const vanished = reduce(play(inChat(), askedByPartner), { type: 'sessionVanished', sessionId }).state;
  expect(card(vanished).progress).toBe('closed');
});
