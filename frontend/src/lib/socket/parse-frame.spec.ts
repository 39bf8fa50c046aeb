import { parseFrame } from '@/lib/socket/parse-frame';

const friendRequest = {
  id: 31,
  requesterId: 12,
  requester: { id: 12, username: 'heron', avatar: null },
  createdAt: '2026-11-20T12:00:00.000Z',
};

// The page accepts both names (docs/product-decisions.md, A124).
it.each(['friend_request', 'friend-request-received'])('parseFrame reads %s as a friend request', (event) => {
  expect(parseFrame(JSON.stringify({ event, data: friendRequest }))).toEqual({
    event: 'friend_request',
    data: friendRequest,
  });
});

// `session_advanced` only advances the `seq` of a chat, so that the sequence of its events has no gap.
it.each([
  ['an event of a newer release', 'chat_reported', { sessionId: 's1', seq: 4, by: 1 }],
  ['a known event with unknown data', 'random_message', { sessionId: 's1', seq: 4, parts: [] }],
])('parseFrame reads %s with a sessionId and a seq as session_advanced', (_, event, data) => {
  expect(parseFrame(JSON.stringify({ event, data }))).toEqual({
    event: 'session_advanced',
    data: { sessionId: 's1', seq: 4 },
  });
});

it.each([
  // It carries many events, all of which `session_advanced` would skip.
  [
    'a session_resumed frame with invalid data',
    JSON.stringify({ event: 'session_resumed', data: { sessionId: 's', seq: 4 } }),
  ],
  // A property that every object inherits.
  ['an unknown event', JSON.stringify({ event: 'toString', data: {} })],
  [
    'a frame with invalid data',
    JSON.stringify({ event: 'friend_request', data: { ...friendRequest, id: 'x' } }),
  ],
  ['a truncated frame', '{"event":'],
  ['a frame without an event', JSON.stringify({ data: friendRequest })],
])('parseFrame drops %s', (_, text) => {
  expect(parseFrame(text)).toBeUndefined();
});
