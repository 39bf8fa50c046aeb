import { type Friend } from '@thaw/contract/users';
import {
  sortFriends,
  withFriend,
  withoutFriend,
  withPresence,
  withProfile,
} from '@/features/friends/friend-list';

const friend = (id: number, username: string, isOnline = false): Friend => ({
  id,
  username,
  avatar: null,
  isOnline,
});

const names = (friends: readonly Friend[]): string[] => friends.map(({ username }) => username);

it('puts who wrote first, then who is here, then goes by name (A136)', () => {
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

it('keeps an order of its own for two of one name, whatever order they came in', () => {
  const [one, two] = [friend(1, 'sam'), friend(2, 'sam')];
  expect(sortFriends([two, one], {})).toEqual([one, two]);
});

it('leaves the given list alone', () => {
  const friends = [friend(2, 'b'), friend(1, 'a')];
  sortFriends(friends, {});
  expect(names(friends)).toEqual(['b', 'a']);
});

it('holds each friend once', () => {
  const friends = [friend(1, 'old'), friend(2, 'b')];
  expect(withFriend(friends, friend(1, 'new'))).toEqual([friend(2, 'b'), friend(1, 'new')]);
  expect(withoutFriend(friends, 1)).toEqual([friend(2, 'b')]);
  expect(withoutFriend(friends, 9)).toEqual(friends);
});

it('takes presence and profile for whom they are meant', () => {
  const friends = [friend(1, 'a'), friend(2, 'b')];
  expect(withPresence(friends, 2, true)).toEqual([friend(1, 'a'), friend(2, 'b', true)]);
  expect(withProfile(friends, { id: 1, username: 'ada', avatar: '/x' })).toEqual([
    { id: 1, username: 'ada', avatar: '/x', isOnline: false },
    friend(2, 'b'),
  ]);
});
