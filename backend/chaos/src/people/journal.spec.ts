import { fingerprints } from '../check/fingerprint';
import { Journal } from './journal';

const ADA = 1;
const BOB = 2;

let gaps: number;
let journal: Journal;

const frame = (event: string, data: Record<string, unknown>) => ({ event, data });
const matched = (sessionId = 's-1', seq = 1) =>
  frame('chat_matched', { sessionId, seq, partnerId: BOB, partnerInfo: {} });
const message = (seq: number, content = `s-1 ${BOB} ${seq}`, sessionId = 's-1') =>
  frame('random_message', { sessionId, seq, id: `${seq}-0`, senderId: BOB, content });
const resumed = (seq: number, events: object[], more: object = {}) =>
  frame('session_resumed', { sessionId: 's-1', seq, partnerId: BOB, events, last: true, ...more });
const skipped = (seq: number, reason = 'skipped') => frame('chat_skipped', { sessionId: 's-1', seq, reason });
const complaints = () => journal.log.complaints.map(({ what }) => what);
const arrive = () => {
  journal.arriving();
  return journal.lastSeen();
};

beforeEach(() => {
  gaps = 0;
  journal = new Journal(ADA, () => (gaps += 1));
  arrive();
  journal.receive(matched());
});

it('reports nothing for a chat that is in order and ends', () => {
  journal.receive(message(2));
  journal.acknowledge('s-1', 3, fingerprints.message('3-0', ADA, 'x'), false);
  journal.receive(skipped(4));
  expect(complaints()).toEqual([]);
  expect(journal.current).toBeUndefined();
});

it('reports nothing for a resume that continues where the last socket ended', () => {
  journal.receive(message(2));
  expect(arrive()).toEqual({ sessionId: 's-1', seq: 2 });
  journal.receive(resumed(4, [message(3), message(4)]));
  journal.receive(message(5));
  expect(complaints()).toEqual([]);
});

it('replaces the events of the chat after a reset', () => {
  journal.receive(message(2));
  journal.receive(message(3));
  arrive();
  journal.receive(resumed(2, [matched(), message(2)], { reset: true }));
  expect(complaints()).toEqual([]);
  expect(journal.current).toMatchObject({ lastSeq: 2, resetAt: [expect.any(Number)] });
});

it('reports a gap and requests what is missing', () => {
  journal.receive(message(3));
  expect(complaints()).toEqual(['s-1: a gap, random_message 3 came after 1']);
  expect(gaps).toBe(1);
});

it('reports an event that is delivered twice by frames, by a resume, or as an end', () => {
  journal.receive(message(2));
  journal.receive(message(2));
  arrive();
  journal.receive(resumed(2, [message(2)]));
  journal.receive(skipped(3));
  journal.receive(skipped(3));
  expect(complaints()).toEqual([
    's-1: random_message 2 delivered twice',
    's-1: random_message 2 delivered twice',
    's-1: its end was told twice',
  ]);
});

it('reports different content under the same number', () => {
  journal.receive(message(2));
  journal.acknowledge('s-1', 2, fingerprints.message('2-0', ADA, 'mine'), false);
  expect(complaints()).toEqual([expect.stringContaining('acknowledged as 2 is message 2-0 1 mine')]);
});

it('reports frames and messages of another chat', () => {
  journal.receive(message(2, 's-9 5 1'));
  journal.receive(message(1, 's-9 5 1', 's-9'));
  journal.receive(frame('typing', { sessionId: 's-9', userId: 5 }));
  expect(complaints()).toEqual([
    's-1: a message of elsewhere: s-9 5 1',
    'random_message of the foreign chat s-9',
    'typing of the foreign chat s-9',
  ]);
});

it('reports a second chat that begins before the first has ended', () => {
  journal.receive(matched('s-2'));
  expect(complaints()).toEqual(['in two chats: s-1 and s-2']);
});

it('reports a resume that leaves out events', () => {
  arrive();
  journal.receive(resumed(3, [message(2)]));
  expect(complaints()).toEqual(['s-1: resumed up to 3, but told only up to 2']);
});

it('follows a chat that goes on after its end', () => {
  journal.ended('s-1');
  journal.receive(matched());
  journal.receive(message(2));
  expect(complaints()).toEqual([]);
  expect(journal.current).toMatchObject({ lastSeq: 2, reopened: [{ endedAt: expect.any(Number) }] });
});

it('records the images of mixed messages, and none of text messages', () => {
  const url = '/api/files/chat-images/7c9e6679-7425-40de-944b-e07fc1f90ae7.jpg';
  const content = `s-1 ${BOB} look\n[IMAGE:${url}]`;
  const shown = message(2, content);
  journal.receive(frame('random_message', { ...shown.data, messageType: 'mixed' }));
  journal.receive(frame('random_message', { ...message(3, content).data, messageType: 'text' }));
  expect([...journal.log.images]).toEqual([url]);
  expect(complaints()).toEqual([]);
});
