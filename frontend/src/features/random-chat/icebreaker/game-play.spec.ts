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

/** Creates a game in a connected chat. The server gives these responses in order, and then no more. */
const setUp = (...responses: ServerResponse[]) => {
  const sent: { event: string; data: unknown }[] = [];
  const actions: GameAction[] = [];
  const frames: ServerFrame[] = [];
  const startingChanges: boolean[] = [];
  const resync = jest.fn();
  const chat = { session: createSession() as Session | null, isConnected: true };
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

// The outcome 'overtaken' means that a game is starting or has been started, or that the chat is over.
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
    expect(sent.map(({ data }) => (data as { gameId: string }).gameId)).toEqual(['g1', 'g2', 'g3']);
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
    'has the outcome $outcome and causes $resyncs resyncs when refused with $code',
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

  it('starts one game at a time, and none without a chat', async () => {
    const { play, sent } = setUp();
    void play.start();
    await expect(play.start()).resolves.toBe('overtaken');
    expect(sent).toHaveLength(1);
    const withoutChat = setUp();
    withoutChat.chat.session = null;
    await expect(withoutChat.play.start()).resolves.toBe('overtaken');
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
    ['the user has answered on another page', true, createRefusal('already_answered')],
    ['the game is over', true, createRefusal('game_not_active')],
    ['the connection closes', false, new SocketRequestError('closed')],
  ])('is reported as failed when %s, with isRefused %s', async (_cause, isRefused, error) => {
    const { play, actions } = setUp(error);
    play.answer('g1', soupAnswer);
    await flushPromises();
    expect(actions.at(-1)).toEqual({ type: 'gameMoveFailed', sessionId: 's1', gameId: 'g1', isRefused });
  });

  it('is not sent without a connection, nor is the move that ignores the game', () => {
    const { play, sent, actions, chat } = setUp();
    chat.isConnected = false;
    play.answer('g1', soupAnswer);
    play.ignore('g1');
    expect(sent).toEqual([]);
    expect(actions).toEqual([]);
  });
});

it('sends the move that ignores the game, and converts its ack to the frame of the event', () => {
  const { play, sent, actions, frames } = setUp({ seq: 4 });
  play.ignore('g1');
  expect(actions).toEqual([{ type: 'gameMoved', sessionId: 's1', gameId: 'g1', response: null }]);
  expect(sent).toEqual([{ event: 'break_ice_ignore', data: { sessionId: 's1', gameId: 'g1', userId: me } }]);
  expect(frames).toEqual([
    { event: 'break_ice_ignored', data: { sessionId: 's1', seq: 4, gameId: 'g1', ignoredBy: me } },
  ]);
});
