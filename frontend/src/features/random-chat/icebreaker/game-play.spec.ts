import { type SocketErrorCode } from '@thaw/contract/error-codes';
import { questions } from '@thaw/contract/questions';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type GameAction } from '@/features/random-chat/icebreaker/game';
import { createGamePlay, type GamePlayOptions } from '@/features/random-chat/icebreaker/game-play';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { aPartner } from '@/testing/factories';
import { flushPromises } from '@/testing/flush-promises';

const me = 7;
const question = questions[0];
const soupAnswer = 'A giant pot of soup';

const createSession = (): Session => ({
  sessionId: 's1',
  seq: 1,
  isResyncing: false,
  partner: aPartner(),
  partnerConnection: 'connected',
  isPartnerTyping: false,
  messages: [],
  unconfirmedMessages: {},
  celebratedGame: null,
});

type ServerResponse = Record<string, unknown> | SocketRequestError;
const createRefusal = (code: SocketErrorCode): SocketRequestError => new SocketRequestError('refused', code);

/** Creates a game in a connected chat. The server gives these responses in order; further commands stay unanswered. */
const setUp = (...responses: ServerResponse[]) => {
  const sent: { event: string; data: unknown }[] = [];
  const actions: GameAction[] = [];
  const frames: ServerFrame[] = [];
  const startingChanges: boolean[] = [];
  const resync = jest.fn();
  const chat: { session: Session | null; isConnected: boolean } = {
    session: createSession(),
    isConnected: true,
  };
  let idCount = 0;
  const options: GamePlayOptions = {
    getSession: () => chat.session,
    getUserId: () => me,
    isConnected: () => chat.isConnected,
    sendCommand: (event, data, toFrame) => {
      sent.push({ event, data });
      const response = responses.shift();
      if (!response) return new Promise(() => undefined);
      if (response instanceof SocketRequestError) return Promise.reject(response);
      const frame = toFrame(response);
      if (frame) frames.push(frame);
      return Promise.resolve();
    },
    resync,
    dispatch: (action) => actions.push(action),
    onStartingChange: (isStarting) => startingChanges.push(isStarting),
    newId: () => `g${(idCount += 1)}`,
    // Always picks the first question that may be asked. The questions have the ids 1, 2, 3 and so on.
    random: () => 0,
  };
  return { play: createGamePlay(options), chat, sent, actions, frames, startingChanges, resync };
};

const getQuestionId = (data: unknown): number => (data as { question: { id: number } }).question.id;
const getGameId = (data: unknown): string => (data as { gameId: string }).gameId;

// The outcome 'overtaken' means that a game is already starting or open, or that the chat is over.
describe('starting Break the Ice', () => {
  it("sends the question's id, and converts the ack to the frame of the question", async () => {
    const { play, sent, frames, startingChanges } = setUp({ seq: 2, question });
    await expect(play.start()).resolves.toBe('started');
    expect(sent).toEqual([
      {
        event: 'break_ice_start',
        data: { sessionId: 's1', gameId: 'g1', question: { id: 1 }, initiatorId: me },
      },
    ]);
    expect(frames).toEqual([
      {
        event: 'break_ice_question_received',
        data: { sessionId: 's1', seq: 2, gameId: 'g1', question, initiatorId: me },
      },
    ]);
    expect(startingChanges).toEqual([true, false]);
  });

  it('tries another question, with a new game id, when the server refuses one as unknown_question', async () => {
    const { play, sent } = setUp(createRefusal('unknown_question'), createRefusal('unknown_question'), {
      seq: 2,
      question,
    });
    await expect(play.start()).resolves.toBe('started');
    expect(sent.map(({ data }) => getQuestionId(data))).toEqual([1, 2, 3]);
    expect(sent.map(({ data }) => getGameId(data))).toEqual(['g1', 'g2', 'g3']);
  });

  it('gives up after five refused questions', async () => {
    const maxQuestionsTried = 5;
    const refusals = Array.from({ length: maxQuestionsTried + 1 }, () => createRefusal('unknown_question'));
    const { play, sent } = setUp(...refusals);
    await expect(play.start()).resolves.toBe('failed');
    expect(sent).toHaveLength(maxQuestionsTried);
  });

  it.each<{ code: SocketErrorCode; outcome: string; resyncs: number }>([
    { code: 'game_active', outcome: 'overtaken', resyncs: 0 },
    { code: 'session_ended', outcome: 'overtaken', resyncs: 1 },
    { code: 'not_in_session', outcome: 'overtaken', resyncs: 1 },
    { code: 'rate_limited', outcome: 'too_fast', resyncs: 0 },
    { code: 'internal', outcome: 'failed', resyncs: 0 },
  ])(
    'ends with the outcome $outcome and $resyncs resyncs when the server refuses it with $code',
    async ({ code, outcome, resyncs }) => {
      const { play, sent, frames, resync, startingChanges } = setUp(createRefusal(code));
      await expect(play.start()).resolves.toBe(outcome);
      expect(sent).toHaveLength(1);
      expect(frames).toEqual([]);
      expect(resync).toHaveBeenCalledTimes(resyncs);
      expect(startingChanges).toEqual([true, false]);
    },
  );

  it('fails and resyncs after a timeout', async () => {
    const { play, resync } = setUp(new SocketRequestError('timeout'));
    await expect(play.start()).resolves.toBe('failed');
    expect(resync).toHaveBeenCalledTimes(1);
  });

  it('sends nothing while another game is starting', async () => {
    const { play, sent } = setUp();
    void play.start();
    await expect(play.start()).resolves.toBe('overtaken');
    expect(sent).toHaveLength(1);
  });

  it('sends nothing without a chat', async () => {
    const { play, sent, chat } = setUp();
    chat.session = null;
    await expect(play.start()).resolves.toBe('overtaken');
    expect(sent).toEqual([]);
  });

  it('tries no other question when the chat has changed', async () => {
    const { play, sent, chat } = setUp(createRefusal('unknown_question'));
    const outcome = play.start();
    chat.session = { ...createSession(), sessionId: 's2' };
    await expect(outcome).resolves.toBe('overtaken');
    expect(sent).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('is dispatched as a move and sent', () => {
    const { play, sent, actions } = setUp();
    play.answer('g1', soupAnswer);
    expect(actions).toEqual([{ type: 'gameMoved', sessionId: 's1', gameId: 'g1', response: soupAnswer }]);
    expect(sent).toEqual([
      {
        event: 'break_ice_response',
        data: { sessionId: 's1', gameId: 'g1', response: soupAnswer, userId: me },
      },
    ]);
  });

  it.each([
    ['the user has answered on another page', createRefusal('already_answered')],
    ['the game is over', createRefusal('game_not_active')],
  ])('is dispatched as failed and refused when %s', async (_cause, refusal) => {
    const { play, actions } = setUp(refusal);
    play.answer('g1', soupAnswer);
    await flushPromises();
    expect(actions.at(-1)).toEqual({
      type: 'gameMoveFailed',
      sessionId: 's1',
      gameId: 'g1',
      isRefused: true,
    });
  });

  it('is dispatched as failed, but not as refused, when the connection closes', async () => {
    const { play, actions } = setUp(new SocketRequestError('closed'));
    play.answer('g1', soupAnswer);
    await flushPromises();
    expect(actions.at(-1)).toEqual({
      type: 'gameMoveFailed',
      sessionId: 's1',
      gameId: 'g1',
      isRefused: false,
    });
  });

  it('is neither dispatched nor sent without a connection', () => {
    const { play, sent, actions, chat } = setUp();
    chat.isConnected = false;
    play.answer('g1', soupAnswer);
    expect(sent).toEqual([]);
    expect(actions).toEqual([]);
  });
});

describe('ignoring a game', () => {
  it('is dispatched as a move and sent, and its ack is converted to the frame of the event', () => {
    const { play, sent, actions, frames } = setUp({ seq: 4 });
    play.ignore('g1');
    expect(actions).toEqual([{ type: 'gameMoved', sessionId: 's1', gameId: 'g1', response: null }]);
    expect(sent).toEqual([
      { event: 'break_ice_ignore', data: { sessionId: 's1', gameId: 'g1', userId: me } },
    ]);
    expect(frames).toEqual([
      { event: 'break_ice_ignored', data: { sessionId: 's1', seq: 4, gameId: 'g1', ignoredBy: me } },
    ]);
  });

  it('is neither dispatched nor sent without a connection', () => {
    const { play, sent, actions, chat } = setUp();
    chat.isConnected = false;
    play.ignore('g1');
    expect(sent).toEqual([]);
    expect(actions).toEqual([]);
  });
});
