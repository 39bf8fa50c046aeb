import { type LastMessage } from '@thaw/contract/last-message';
import { type Friend, type Profile } from '@thaw/contract/users';

/** Number of unread messages by the id of the friend who sent them. */
export type UnreadCounts = Readonly<Partial<Record<number, number>>>;

const nameCollator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** Sorts friends with unread messages first, then those online, then by name (docs/product-decisions.md, A136). */
export const sortFriends = (friends: readonly Friend[], unread: UnreadCounts): Friend[] => {
  const hasUnread = ({ id }: Friend): boolean => (unread[id] ?? 0) > 0;
  return [...friends].sort(
    (a, b) =>
      Number(hasUnread(b)) - Number(hasUnread(a)) ||
      Number(b.isOnline) - Number(a.isOnline) ||
      nameCollator.compare(a.username, b.username) ||
      a.id - b.id,
  );
};

/** Adds a friend at the end, and removes the old entry with the same id. */
export const withFriend = (friends: readonly Friend[], friend: Friend): Friend[] => [
  ...friends.filter(({ id }) => id !== friend.id),
  friend,
];

export const withoutFriend = (friends: readonly Friend[], friendId: number): Friend[] =>
  friends.filter(({ id }) => id !== friendId);

export const withPresence = (friends: readonly Friend[], userId: number, isOnline: boolean): Friend[] =>
  friends.map((friend) => (friend.id === userId ? { ...friend, isOnline } : friend));

export const withProfile = (friends: readonly Friend[], { id, username, avatar }: Profile): Friend[] =>
  friends.map((friend) => (friend.id === id ? { ...friend, username, avatar } : friend));

/**
 * Sets a friend's last message, unless the current one is newer: messages may arrive late. A message of the same time
 * replaces the current one, since it may be an edit.
 */
export const withLastMessage = (
  friends: readonly Friend[],
  friendId: number,
  lastMessage: LastMessage,
): Friend[] =>
  friends.map((friend) => {
    if (friend.id !== friendId) return friend;
    const { lastMessage: current } = friend;
    const isCurrentNewer =
      current !== null && Date.parse(current.createdAt) > Date.parse(lastMessage.createdAt);
    return isCurrentNewer ? friend : { ...friend, lastMessage };
  });

/** Returns the friends whose name contains every word of the search, in the order of `friends`. */
export const searchFriends = (friends: readonly Friend[], search: string): readonly Friend[] => {
  const searchedWords = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (searchedWords.length === 0) return friends;
  return friends.filter(({ username }) => {
    const name = username.toLocaleLowerCase();
    return searchedWords.every((word) => name.includes(word));
  });
};
