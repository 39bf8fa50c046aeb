// Runs against real api replicas, PostgreSQL, Redis and sockets.
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { type ThawSocket, matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

describe('an event that this release does not understand', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { REMATCH_COOLDOWN_S: '0' });
  });
  afterAll(() => stack.close());

  /** Appends a text as it is, because `encodeEvent` only encodes events that this release knows. */
  const appendEventText = async (sessionId: string, text: string): Promise<void> => {
    const log = stack.replicas[0]!.app.get(ChatLogRepository);
    const entries = await log.read(sessionId);
    const streamEnd = { version: entries.length, lastId: entries.at(-1)?.id ?? '' };
    expect(await log.append(sessionId, streamEnd, [text])).toMatchObject({ kind: 'appended' });
  };
  const listNumberedFrames = (socket: ThawSocket): unknown[] =>
    socket.frames.filter(({ data }) => data?.seq !== undefined).map(({ event, data }) => [data?.seq, event]);

  it.each([
    ['of a new type without an id and data', '{"t":"X"}'],
    ['of a new type with an id and data', '{"i":"0b9a7a3e","t":"ChatReported","d":{"by":1}}'],
    ['of a new version of a known type', '{"i":"0b9a7a3e","t":"MessageSent","v":2,"d":{"parts":[]}}'],
    ['whose type is the name of an inherited property', '{"i":"0b9a7a3e","t":"constructor","d":{}}'],
    ['that is not JSON', 'not json'],
    ['that is not an object', 'null'],
    ['of a known type without its data', '{"i":"0b9a7a3e","t":"ReactionAdded","d":null}'],
    [
      'of a known type without some of its fields',
      '{"i":"0b9a7a3e","t":"GameStarted","d":{"questionId":4711}}',
    ],
  ])('%s advances seq on every socket, and the chat continues', async (_, text) => {
    const { ada, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    await adaSocket.request('random_message', textMessage(sessionId, 'one'));
    await appendEventText(sessionId, text);
    for (const socket of [adaSocket, bobSocket]) {
      expect(await socket.next('session_advanced')).toEqual({ sessionId, seq: 3 });
    }
    expect(await bobSocket.request('random_message', textMessage(sessionId, 'two'))).toMatchObject({
      seq: 4,
    });
    expect(await adaSocket.request('random_message', textMessage(sessionId, 'three'))).toMatchObject({
      seq: 5,
    });
    await until(() => [adaSocket, bobSocket].every((socket) => socket.getLastSeq(sessionId) === 5));
    expect(listNumberedFrames(bobSocket)).toEqual([
      [1, 'chat_matched'],
      [2, 'random_message'],
      [3, 'session_advanced'],
      [4, 'ack'],
      [5, 'random_message'],
    ]);
    expect([...adaSocket.seqViolations, ...bobSocket.seqViolations]).toEqual([]);

    // The frames above came from publications. A resume reads the events from the stream of the chat.
    const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    const { events } = await newSocket.next('session_resumed');
    expect(
      (events as { event: string; data: { seq: number } }[]).map(({ event, data }) => [data.seq, event]),
    ).toEqual([
      [2, 'random_message'],
      [3, 'session_advanced'],
      [4, 'random_message'],
      [5, 'random_message'],
    ]);
    expect(await adaSocket.request('skip_chat', { sessionId })).toEqual({ seq: 6 });
    await bobSocket.next('chat_skipped');
  });
});
