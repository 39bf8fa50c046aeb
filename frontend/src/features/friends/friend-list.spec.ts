import { type Friend } from '@thaw/contract/users';
import {
  searchFriends,
  sortFriends,
  withFriend,
  withLastMessage,
  withoutFriend,
  withPresence,
  withProfile,
} from '@/features/friends/friend-list';

const friend = (id: number, username: string, isOnline = false): Friend => ({
  id,
  username,
  avatar: null,
  isOnline,
  lastMessage: null,
});

const names = (friends: readonly Friend[]): string[] => friends.map(({ username }) => username);

it('sorts unread first, then online, then by name (A136)', () => {
  const friends = [
    friend(1, 'zoe'),
    friend(2, 'Bob', true),
    friend(3, 'ann'),
    friend(4, 'adam', true),
    friend(5, 'yves'),
    friend(6, 'xan', true),
  ];
  expect(names(sortFriends(friends, { 5: 1, 6: 3, 1: 0 }))).toEqual([
    'xan',
    'yves',
    'adam',
    'Bob',
    'ann',
    'zoe',
  ]);
});

it('orders friends of the same name by id', () => {
  const [one, two] = [friend(1, 'sam'), friend(2, 'sam')];
  expect(sortFriends([two, one], {})).toEqual([one, two]);
});

it('does not modify the given list', () => {
  const friends = [friend(2, 'b'), friend(1, 'a')];
  sortFriends(friends, {});
  expect(names(friends)).toEqual(['b', 'a']);
});

it('adds a friend who is already in the list without a duplicate', () => {
  const friends = [friend(1, 'old'), friend(2, 'b')];
  expect(withFriend(friends, friend(1, 'new'))).toEqual([friend(2, 'b'), friend(1, 'new')]);
  expect(withoutFriend(friends, 1)).toEqual([friend(2, 'b')]);
  expect(withoutFriend(friends, 9)).toEqual(friends);
});

it('applies presence and profile changes only to the friend concerned', () => {
  const friends = [friend(1, 'a'), friend(2, 'b')];
  expect(withPresence(friends, 2, true)).toEqual([friend(1, 'a'), friend(2, 'b', true)]);
  expect(withProfile(friends, { id: 1, username: 'ada', avatar: '/x' })).toEqual([
    { ...friend(1, 'ada'), avatar: '/x' },
    friend(2, 'b'),
  ]);
});

it('finds friends by every word of the search, ignoring case', () => {
  const friends = [friend(1, 'Brave Heron'), friend(2, 'brave-otter'), friend(3, 'Ärmel')];
  expect(names(searchFriends(friends, ' hero BRAVE '))).toEqual(['Brave Heron']);
  expect(names(searchFriends(friends, 'brave'))).toEqual(['Brave Heron', 'brave-otter']);
  expect(names(searchFriends(friends, 'äR'))).toEqual(['Ärmel']);
  expect(searchFriends(friends, '  ')).toBe(friends);
});

it('keeps the newer of two last messages, whatever the order of arrival', () => {
  const at = (second: number) => ({
    senderId: 1,
    preview: `at ${second}`,
    type: 'text' as const,
    createdAt: `2026-11-20T12:00:0${second}.000Z`,
  });
  const known = withLastMessage([friend(1, 'ann'), friend(2, 'bob')], 1, at(5));
  expect(known.map(({ lastMessage }) => lastMessage?.preview)).toEqual(['at 5', undefined]);
  expect(withLastMessage(known, 1, at(4))).toEqual(known);
  expect(withLastMessage(known, 1, { ...at(5), preview: 'edited' })[0]?.lastMessage?.preview).toBe('edited');
});
