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

const createFriend = (id: number, username: string, isOnline = false): Friend => ({
  id,
  username,
  avatar: null,
  isOnline,
  lastMessage: null,
});

const listNames = (friends: readonly Friend[]): string[] => friends.map(({ username }) => username);

it('sorts friends with unread messages first, then those online, then by name', () => {
  const friends = [
    createFriend(1, 'zoe'),
    createFriend(2, 'Bob', true),
    createFriend(3, 'ann'),
    createFriend(4, 'adam', true),
    createFriend(5, 'yves'),
    createFriend(6, 'xan', true),
  ];
  const unreadByFriendId = { 5: 1, 6: 3, 1: 0 };
  expect(listNames(sortFriends(friends, unreadByFriendId))).toEqual([
    'xan',
    'yves',
    'adam',
    'Bob',
    'ann',
    'zoe',
  ]);
});

it('orders friends of the same name by id', () => {
  const [one, two] = [createFriend(1, 'sam'), createFriend(2, 'sam')];
  expect(sortFriends([two, one], {})).toEqual([one, two]);
});

it('does not modify the given list', () => {
  const friends = [createFriend(2, 'b'), createFriend(1, 'a')];
  sortFriends(friends, {});
  expect(listNames(friends)).toEqual(['b', 'a']);
});

it('puts a re-added friend at the end, with the new name, and removes only the given friend', () => {
  const friends = [createFriend(1, 'old'), createFriend(2, 'b')];
  expect(withFriend(friends, createFriend(1, 'new'))).toEqual([createFriend(2, 'b'), createFriend(1, 'new')]);
  expect(withoutFriend(friends, 1)).toEqual([createFriend(2, 'b')]);
  expect(withoutFriend(friends, 9)).toEqual(friends);
});

it('applies presence and profile changes only to the friend concerned', () => {
  const friends = [createFriend(1, 'a'), createFriend(2, 'b')];
  expect(withPresence(friends, 2, true)).toEqual([createFriend(1, 'a'), createFriend(2, 'b', true)]);
  expect(withProfile(friends, { id: 1, username: 'ada', avatar: '/x' })).toEqual([
    { ...createFriend(1, 'ada'), avatar: '/x' },
    createFriend(2, 'b'),
  ]);
});

it('finds friends by every word of the search, ignoring case', () => {
  const friends = [createFriend(1, 'Brave Heron'), createFriend(2, 'brave-otter'), createFriend(3, 'Ärmel')];
  expect(listNames(searchFriends(friends, ' hero BRAVE '))).toEqual(['Brave Heron']);
  expect(listNames(searchFriends(friends, 'brave'))).toEqual(['Brave Heron', 'brave-otter']);
  expect(listNames(searchFriends(friends, 'äR'))).toEqual(['Ärmel']);
  expect(searchFriends(friends, '  ')).toBe(friends);
});

it('keeps the newer of two last messages, whatever the order of arrival, and accepts an edit', () => {
  const createMessageAt = (second: number) => ({
    senderId: 1,
    preview: `at ${second}`,
    type: 'text' as const,
    createdAt: `2026-11-20T12:00:0${second}.000Z`,
  });
  const known = withLastMessage([createFriend(1, 'ann'), createFriend(2, 'bob')], 1, createMessageAt(5));
  expect(known.map(({ lastMessage }) => lastMessage?.preview)).toEqual(['at 5', undefined]);
  expect(withLastMessage(known, 1, createMessageAt(4))).toEqual(known);
  expect(
    withLastMessage(known, 1, { ...createMessageAt(5), preview: 'edited' })[0]?.lastMessage?.preview,
  ).toBe('edited');
});
