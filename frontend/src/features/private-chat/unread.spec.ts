import { clearUnread, incrementUnread, parseUnread, sumUnread } from '@/features/private-chat/unread';

it('increments and removes the unread count of a friend', () => {
  expect(incrementUnread({}, 12)).toEqual({ 12: 1 });
  expect(incrementUnread({ 12: 4, 3: 1 }, 12)).toEqual({ 12: 5, 3: 1 });
  expect(clearUnread({ 12: 4, 3: 1 }, 12)).toEqual({ 3: 1 });
});

it('returns the same object if the friend has no count to remove', () => {
  const counts = { 3: 1 };
  expect(clearUnread(counts, 12)).toBe(counts);
});

it('adds up the unread counts of all friends', () => {
  expect(sumUnread({})).toBe(0);
  expect(sumUnread({ 12: 4, 3: 1 })).toBe(5);
});

it.each([null, '', '{', '[]', '{"12":"4"}', '{"12":-1}', 'null'])('ignores the stored text %p', (text) => {
  expect(parseUnread(text)).toBeUndefined();
});

it('parses the stored unread counts', () => {
  expect(parseUnread('{"12":4}')).toEqual({ 12: 4 });
});
