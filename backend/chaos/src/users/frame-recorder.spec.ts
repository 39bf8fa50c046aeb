import { fingerprints } from '../check/fingerprint';
import { FrameRecorder } from './frame-recorder';

const ADA = 1;
const BOB = 2;
/** A message of user 5 in the chat s-9. */
const FOREIGN_CONTENT = 's-9 5 1';

let resumeRequestCount: number;
/** The recorder of Ada, who is in the chat s-1 with Bob and has received its first event. */
let recorder: FrameRecorder;

const createFrame = (event: string, data: Record<string, unknown>) => ({ event, data });
/** The first event of a chat. */
const createMatched = (sessionId = 's-1') =>
  createFrame('chat_matched', { sessionId, seq: 1, partnerId: BOB, partnerInfo: {} });
/** A message of Bob. Every message of the simulated users begins with the ids of its chat and its sender. */
const createMessage = (seq: number, content = `s-1 ${BOB} ${seq}`, sessionId = 's-1') =>
  createFrame('random_message', { sessionId, seq, id: `${seq}-0`, senderId: BOB, content });
/** A resume that contains `events`, and states that the latest event of the chat is `seq`. */
const createResumed = (seq: number, events: object[], more: object = {}) =>
  createFrame('session_resumed', { sessionId: 's-1', seq, partnerId: BOB, events, last: true, ...more });
const createSkipped = (seq: number, reason = 'skipped') =>
  createFrame('chat_skipped', { sessionId: 's-1', seq, reason });
const listProblems = () => recorder.log.problems.map(({ description }) => description);
/** Acknowledges a message of Ada, which was sent once. */
const acknowledgeMessage = (seq: number, content: string) => {
  const wasRetried = false;
  recorder.acknowledge('s-1', seq, fingerprints.message(`${seq}-0`, ADA, content), wasRetried);
};
/** @returns the last event that the page has received, which it sends when it authenticates */
const reconnect = () => {
  recorder.startSocket();
  return recorder.prepareResume();
};

beforeEach(() => {
  resumeRequestCount = 0;
  recorder = new FrameRecorder(ADA, () => (resumeRequestCount += 1));
  recorder.startSocket();
  recorder.receive(createMatched());
});

it('reports nothing for a chat whose events arrive in order until it ends', () => {
  recorder.receive(createMessage(2));
  acknowledgeMessage(3, 'x');
  recorder.receive(createSkipped(4));
  expect(listProblems()).toEqual([]);
  expect(recorder.currentChat).toBeUndefined();
});

it('reports nothing for a resume that continues where the last socket ended', () => {
  recorder.receive(createMessage(2));
  expect(reconnect()).toEqual({ sessionId: 's-1', seq: 2 });
  recorder.receive(createResumed(4, [createMessage(3), createMessage(4)]));
  recorder.receive(createMessage(5));
  expect(listProblems()).toEqual([]);
});

it('replaces the events of the chat after a reset, and records the time of the reset', () => {
  recorder.receive(createMessage(2));
  recorder.receive(createMessage(3));
  reconnect();
  // The service has lost message 3.
  recorder.receive(createResumed(2, [createMatched(), createMessage(2)], { reset: true }));
  expect(listProblems()).toEqual([]);
  expect(recorder.currentChat).toMatchObject({ lastSeq: 2, resetTimes: [expect.any(Number)] });
});

it('reports a gap and requests a resume', () => {
  recorder.receive(createMessage(3));
  expect(listProblems()).toEqual(['s-1: a gap, random_message 3 came after 1']);
  expect(resumeRequestCount).toBe(1);
});

it('reports an event that arrives in two frames', () => {
  recorder.receive(createMessage(2));
  recorder.receive(createMessage(2));
  expect(listProblems()).toEqual(['s-1: random_message 2 delivered twice']);
});

it('reports an event that arrives in a frame, and again in the resume on the next socket', () => {
  recorder.receive(createMessage(2));
  reconnect();
  recorder.receive(createResumed(2, [createMessage(2)]));
  expect(listProblems()).toEqual(['s-1: random_message 2 delivered twice']);
});

it('reports the end of a chat that arrives twice on a socket that has resumed the chat', () => {
  reconnect();
  recorder.receive(createResumed(1, []));
  recorder.receive(createSkipped(2));
  recorder.receive(createSkipped(2));
  expect(listProblems()).toEqual(['s-1: its end was delivered twice']);
});

it('reports an ack with the seq of an event that has another content', () => {
  recorder.receive(createMessage(2));
  acknowledgeMessage(2, 'mine');
  expect(listProblems()).toEqual([expect.stringContaining('acknowledged as 2 is message 2-0 1 mine')]);
});

it('reports a message whose content belongs to another chat', () => {
  recorder.receive(createMessage(2, FOREIGN_CONTENT));
  expect(listProblems()).toEqual([`s-1: a message of another chat: ${FOREIGN_CONTENT}`]);
});

it('reports frames of an unknown chat', () => {
  recorder.receive(createMessage(1, FOREIGN_CONTENT, 's-9'));
  recorder.receive(createFrame('typing', { sessionId: 's-9', userId: 5 }));
  expect(listProblems()).toEqual([
    'random_message of the unknown chat s-9',
    'typing of the unknown chat s-9',
  ]);
});

it('reports a second chat that begins before the first has ended', () => {
  recorder.receive(createMatched('s-2'));
  expect(listProblems()).toEqual(['in two chats: s-1 and s-2']);
});

it('reports a resume that leaves out events', () => {
  reconnect();
  recorder.receive(createResumed(3, [createMessage(2)]));
  expect(listProblems()).toEqual(['s-1: resumed up to 3, but received only up to 2']);
});

it('records a chat that continues after its end', () => {
  recorder.markEnded('s-1');
  recorder.receive(createMatched());
  recorder.receive(createMessage(2));
  // No problem here: the checker decides later whether a fault explains the reopening.
  expect(listProblems()).toEqual([]);
  expect(recorder.currentChat).toMatchObject({ lastSeq: 2, reopenings: [{ endedAt: expect.any(Number) }] });
});

it('records the images of mixed messages, and none of text messages', () => {
  const url = '/api/files/chat-images/7c9e6679-7425-40de-944b-e07fc1f90ae7.jpg';
  const content = `s-1 ${BOB} look\n[IMAGE:${url}]`;
  const [mixed, text] = [createMessage(2, content), createMessage(3, content)];
  recorder.receive(createFrame('random_message', { ...mixed.data, messageType: 'mixed' }));
  recorder.receive(createFrame('random_message', { ...text.data, messageType: 'text' }));
  expect([...recorder.log.images]).toEqual([url]);
  expect(listProblems()).toEqual([]);
});
