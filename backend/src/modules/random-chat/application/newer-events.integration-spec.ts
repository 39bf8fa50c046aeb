// Runs against real api replicas, PostgreSQL, Redis and sockets.
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ReceivedFrame, textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/** What each event is, and its text in the stream of the chat. */
const unknownEvents: [kind: string, text: string][] = [
  ['of a new type without an id and data', '{"t":"X"}'],
  ['of a new type with an id and data', '{"i":"0b9a7a3e","t":"ChatReported","d":{"by":1}}'],
  ['of a new version of a known type', '{"i":"0b9a7a3e","t":"MessageSent","v":2,"d":{"parts":[]}}'],
  ['whose type is the name of an inherited property', '{"i":"0b9a7a3e","t":"constructor","d":{}}'],
  ['that is not JSON', 'not json'],
  ['that is not an object', 'null'],
  ['of a known type without its data', '{"i":"0b9a7a3e","t":"ReactionAdded","d":null}'],
  ['of a known type without some fields', '{"i":"0b9a7a3e","t":"GameStarted","d":{"questionId":4711}}'],
];

describe('an event that this release does not understand', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { REMATCH_COOLDOWN_S: '0' });
  });
  afterAll(() => stack.close());

  /** Appends an event as text to the stream of a chat: `encodeEvent` encodes only events that this release knows. */
  const appendEventText = async (sessionId: string, text: string): Promise<void> => {
    const log = stack.replicas[0]!.app.get(ChatLogRepository);
    const entries = await log.read(sessionId);
    const streamEnd = { version: entries.length, lastId: entries.at(-1)?.id ?? '' };
    expect(await log.append(sessionId, streamEnd, [text])).toMatchObject({ kind: 'appended' });
  };

  /** Starts a chat with five events: the match (`seq` 1), a message (2), the unknown event (3), two messages (4, 5). */
  const startChatWithUnknownEvent = async (text: string) => {
    const chat = await matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
    const { adaSocket, bobSocket, sessionId } = chat;
    const sockets = [adaSocket, bobSocket];
    await adaSocket.request('random_message', textMessage(sessionId, 'one'));
    await appendEventText(sessionId, text);
    for (const socket of sockets) {
      expect(await socket.next('session_advanced')).toEqual({ sessionId, seq: 3 });
    }
    const secondAck = await bobSocket.request('random_message', textMessage(sessionId, 'two'));
    expect(secondAck).toMatchObject({ seq: 4 });
    const thirdAck = await adaSocket.request('random_message', textMessage(sessionId, 'three'));
    expect(thirdAck).toMatchObject({ seq: 5 });
    await until(() => sockets.every((socket) => socket.getLastSeq(sessionId) === 5));
    return chat;
  };

  const toSeqAndEvent = ({ event, data }: ReceivedFrame): unknown[] => [data.seq, event];

  it.each(unknownEvents)('%s advances seq on every socket, and the chat continues', async (_kind, text) => {
    const { adaSocket, bobSocket, sessionId } = await startChatWithUnknownEvent(text);
    const framesWithSeq = bobSocket.frames.filter(({ data }) => data?.seq !== undefined);
    expect(framesWithSeq.map(toSeqAndEvent)).toEqual([
      [1, 'chat_matched'],
      [2, 'random_message'],
      [3, 'session_advanced'],
      [4, 'ack'], // of Bob's own message
      [5, 'random_message'],
    ]);
    expect([...adaSocket.seqViolations, ...bobSocket.seqViolations]).toEqual([]);
    expect(await adaSocket.request('skip_chat', { sessionId })).toEqual({ seq: 6 });
    await bobSocket.next('chat_skipped');
  });

  // The frames of the tests above come from publications. A resume reads the events from the stream of the chat.
  it.each(unknownEvents)('%s advances seq in a resume with the later events', async (_kind, text) => {
    const { ada, sessionId } = await startChatWithUnknownEvent(text);
    const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
    const { events } = await newSocket.next('session_resumed');
    expect((events as ReceivedFrame[]).map(toSeqAndEvent)).toEqual([
      [2, 'random_message'],
      [3, 'session_advanced'],
      [4, 'random_message'],
      [5, 'random_message'],
    ]);
  });
});
