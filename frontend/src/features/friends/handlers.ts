import { type FriendRequest } from '@thaw/contract/friends';
import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { withFriend, withoutFriend, withPresence, withProfile } from '@/features/friends/friend-list';
import { FriendsCache } from '@/features/friends/stores/friends-cache';
import { removeSentRequests } from '@/features/friends/stores/sent-requests';
import { raise } from '@/product/app-events';
import { currentUser } from '@/product/identity';

/** The frames that this feature handles. */
export const friendsEvents = [
  'chat_matched',
  'friend_request',
  'friendship_accepted',
  'friendship_removed',
  'block_changed',
  'presence',
  'profile_updated',
] as const satisfies readonly ServerEvent[];

const withoutRequestsOf = (requests: readonly FriendRequest[], userId: number): FriendRequest[] =>
  requests.filter(({ requesterId }) => requesterId !== userId);

/**
 * Creates the handler of this feature's frames. It patches the cached data at once. When a frame adds or removes a
 * friend or a request, it also refetches the affected lists, because only the server's response is authoritative.
 */
export const createFriendsHandler = (queries: QueryClient) => {
  const cache = new FriendsCache(queries);
  const seenRequestIds = new Set<number>();

  return (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me) return;
    switch (frame.event) {
      case 'chat_matched':
        // Every match resets the Add Friend buttons (docs/product-decisions.md, A139).
        removeSentRequests(queries);
        return;
      case 'friend_request': {
        const { id, requesterId, requester, createdAt } = frame.data;
        // The server may send the same request twice (docs/product-decisions.md, A124).
        if (seenRequestIds.has(id)) return;
        seenRequestIds.add(id);
        cache.setProfile(requester);
        // The list already contains the request if it was fetched after the request was sent.
        cache.patchRequests(me.id, (requests) => [
          ...requests.filter((request) => request.id !== id),
          { id, requesterId, addresseeId: me.id, status: 'pending', createdAt },
        ]);
        cache.invalidate(me.id, 'requests');
        raise('friend-request-received', { id, requesterId });
        return;
      }
      case 'friendship_accepted': {
        const { requestId, friend } = frame.data;
        cache.setProfile(friend);
        // The frame does not contain the last message of the new friend.
        cache.patchFriends(me.id, (friends) => withFriend(friends, { ...friend, lastMessage: null }));
        cache.patchRequests(me.id, (requests) => withoutRequestsOf(requests, friend.id));
        cache.invalidate(me.id, 'friends', 'requests');
        raise('friendship-accepted', { requestId, friendId: friend.id });
        return;
      }
      case 'friendship_removed': {
        const { removedFriendId, removedBy } = frame.data;
        // The user is one of the two.
        const friendId = removedBy === me.id ? removedFriendId : removedBy;
        removeSentRequests(queries, friendId);
        cache.patchFriends(me.id, (friends) => withoutFriend(friends, friendId));
        cache.invalidate(me.id, 'friends', 'requests');
        // The profile may now be hidden: the friend may have blocked the user or deleted the account.
        if (removedBy !== me.id) cache.forgetProfile(friendId);
        raise('friendship-removed', { removedFriendId, removedBy });
        return;
      }
      case 'block_changed': {
        const { userId, isBlocked } = frame.data;
        // An unblock changes nothing here: it restores neither the friendship nor requests.
        if (!isBlocked) return;
        removeSentRequests(queries, userId);
        cache.patchFriends(me.id, (friends) => withoutFriend(friends, userId));
        cache.patchRequests(me.id, (requests) => withoutRequestsOf(requests, userId));
        cache.invalidate(me.id, 'friends', 'requests');
        return;
      }
      case 'presence': {
        const { userId, isOnline } = frame.data;
        cache.patchFriends(me.id, (friends) => withPresence(friends, userId, isOnline));
        return;
      }
      case 'profile_updated': {
        const { user } = frame.data;
        // The profile feature handles the user's own profile.
        if (user.id === me.id) return;
        cache.setProfile(user);
        cache.patchFriends(me.id, (friends) => withProfile(friends, user));
        // The product specification names this event in camel case.
        raise('profileUpdated', { userId: user.id });
        return;
      }
      default:
        return;
    }
  };
};
