import { type OutgoingMessage } from '@/features/private-chat/outgoing';
import { Rows } from '@/features/private-chat/rows';
import { aPrivateMessage } from '@/testing/factories';

const outgoing: OutgoingMessage = {
  clientId: 'c1',
  friendId: 12,
  content: 'hello',
  type: 'text',
  replyTo: null,
  at: 1,
  delivery: 'sending',
};

it('are what is stored, then what is on its way', () => {
  const rows = new Rows(7).of([aPrivateMessage({ id: 4, senderId: 12 })], [outgoing]);
  expect(rows.map(({ key, senderId, delivery }) => [key, senderId, delivery])).toEqual([
    ['4', 12, 'sent'],
    ['c1', 7, 'sending'],
  ]);
});

it('show a message once and as the same row, from sending to sent', () => {
  const rows = new Rows(7);
  const sent = aPrivateMessage({ id: 4, senderId: 7, clientId: 'c1' });
  // The frame of another tab was here before the ack.
  expect(rows.of([sent], [outgoing]).map(({ key, id }) => [key, id])).toEqual([['c1', '4']]);
});

it('are the same objects while nothing has changed', () => {
  const rows = new Rows(7);
  const message = aPrivateMessage({ id: 4 });
  const [before] = rows.of([message], []);
  expect(rows.of([message, aPrivateMessage({ id: 5 })], [outgoing])[0]).toBe(before);
});

it('count the reactions by emoji', () => {
  const reactions = [
    { emoji: '👍', userId: 7 },
    { emoji: '🔥', userId: 7 },
    { emoji: '👍', userId: 12 },
  ];
  expect(new Rows(7).of([aPrivateMessage({ reactions })], [])[0]?.reactions).toEqual({
    '👍': { count: 2, users: [7, 12] },
    '🔥': { count: 1, users: [7] },
  });
});

it('name what is answered as the bubbles do', () => {
  const replyTo = { id: 3, content: 'hm', senderId: 12, senderName: 'brave-heron-7' };
  const [row] = new Rows(7).of([aPrivateMessage({ metadata: { replyTo } })], []);
  expect(row?.replyTo).toEqual({
    messageId: '3',
    content: 'hm',
    senderId: 12,
    senderName: 'brave-heron-7',
  });
});
