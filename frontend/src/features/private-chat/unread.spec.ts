import { noneOf, oneMore, parseUnread, totalUnread } from '@/features/private-chat/unread';

it('increments and removes counts', () => {
  expect(oneMore({}, 12)).toEqual({ 12: 1 });
  expect(oneMore({ 12: 98, 3: 1 }, 12)).toEqual({ 12: 99, 3: 1 });
  expect(noneOf({ 12: 4, 3: 1 }, 12)).toEqual({ 3: 1 });
  const counts = { 3: 1 };
  expect(noneOf(counts, 12)).toBe(counts);
});

it('adds up the counts', () => {
  expect(totalUnread({})).toBe(0);
  expect(totalUnread({ 12: 4, 3: 1 })).toBe(5);
});

it.each([null, '', '{', '[]', '{"12":"4"}', '{"12":-1}', 'null'])('ignores the stored text %p', (text) => {
  expect(parseUnread(text)).toBeUndefined();
});

it('reads the stored counts', () => {
  expect(parseUnread('{"12":4}')).toEqual({ 12: 4 });
});
