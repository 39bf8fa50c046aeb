import { type LastMessage } from '@thaw/contract/last-message';
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

const createFriend = (id: number, username: string, changes: Partial<Friend> = {}): Friend => ({
  id,
  username,
  avatar: null,
  isOnline: false,
  lastMessage: null,
  ...changes,
});

const listNames = (friends: readonly Friend[]): string[] => friends.map(({ username }) => username);

it('sorts friends with unread messages first, then those online, then by name', () => {
  const friends = [
    createFriend(1, 'zoe'),
    createFriend(2, 'Bob', { isOnline: true }),
    createFriend(3, 'ann'),
    createFriend(4, 'adam', { isOnline: true }),
    createFriend(5, 'yves'),
    createFriend(6, 'xan', { isOnline: true }),
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

it('does not modify the list that it sorts', () => {
  const friends = [createFriend(2, 'b'), createFriend(1, 'a')];
  sortFriends(friends, {});
  expect(listNames(friends)).toEqual(['b', 'a']);
});

it('puts a re-added friend at the end, with the new name', () => {
  const friends = [createFriend(1, 'old'), createFriend(2, 'b')];
  expect(withFriend(friends, createFriend(1, 'new'))).toEqual([createFriend(2, 'b'), createFriend(1, 'new')]);
});

it('removes only the given friend', () => {
  const friends = [createFriend(1, 'a'), createFriend(2, 'b')];
  expect(withoutFriend(friends, 1)).toEqual([createFriend(2, 'b')]);
  expect(withoutFriend(friends, 9)).toEqual(friends);
});

it('applies a change of presence only to the friend concerned', () => {
  const friends = [createFriend(1, 'a'), createFriend(2, 'b')];
  expect(withPresence(friends, 2, true)).toEqual([
    createFriend(1, 'a'),
    createFriend(2, 'b', { isOnline: true }),
  ]);
});

it('applies a change of the profile only to the friend concerned', () => {
  const friends = [createFriend(1, 'a'), createFriend(2, 'b')];
  expect(withProfile(friends, { id: 1, username: 'ada', avatar: '/x' })).toEqual([
    createFriend(1, 'ada', { avatar: '/x' }),
    createFriend(2, 'b'),
  ]);
});

it('finds friends by every word of the search, ignoring case', () => {
  const friends = [createFriend(1, 'Brave Heron'), createFriend(2, 'brave-otter'), createFriend(3, 'Ärmel')];
  expect(listNames(searchFriends(friends, ' hero BRAVE '))).toEqual(['Brave Heron']);
  expect(listNames(searchFriends(friends, 'brave'))).toEqual(['Brave Heron', 'brave-otter']);
  expect(listNames(searchFriends(friends, 'äR'))).toEqual(['Ärmel']);
});

it('finds all friends without a search', () => {
  const friends = [createFriend(1, 'ann')];
  expect(searchFriends(friends, '  ')).toBe(friends);
});

describe('withLastMessage', () => {
  const createMessageAt = (second: number): LastMessage => ({
    senderId: 1,
    preview: `at ${second}`,
    type: 'text',
    createdAt: `2026-11-20T12:00:0${second}.000Z`,
  });
  const [ann, bob] = [createFriend(1, 'ann'), createFriend(2, 'bob')];
  const friends = withLastMessage([ann, bob], ann.id, createMessageAt(5));

  it('sets the last message only of the friend concerned', () => {
    expect(friends).toEqual([{ ...ann, lastMessage: createMessageAt(5) }, bob]);
  });

  it('ignores a message that is older than the last one', () => {
    expect(withLastMessage(friends, ann.id, createMessageAt(4))).toEqual(friends);
  });

  it('replaces the last message with its edited version, which has the same time', () => {
    const edited = { ...createMessageAt(5), preview: 'edited' };
    expect(withLastMessage(friends, ann.id, edited)).toEqual([{ ...ann, lastMessage: edited }, bob]);
  });
});
