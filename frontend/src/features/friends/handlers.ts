import { type FriendRequest } from '@thaw/contract/friends';
import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type Friend, type Profile } from '@thaw/contract/users';
import { type QueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { withFriend, withoutFriend, withPresence, withProfile } from '@/features/friends/friend-list';
import { useSentRequests } from '@/features/friends/sent-requests';
import { raise } from '@/lib/app-events';
import { currentUser, mergeIntoUser } from '@/lib/identity';
import { profileKey } from '@/lib/profile-query';

/** The frames this feature listens to. */
export const friendsEvents = [
  'chat_matched',
  'friend_request',
  'friendship_accepted',
  'friendship_removed',
  'presence',
  'profile_updated',
] as const satisfies readonly ServerEvent[];

/** Patches what is cached at once, and has it asked anew, for a push is only a hint of what the server holds. */
export const createFriendsHandler = (queries: QueryClient) => {
  const seenRequests = new Set<number>();

  const recount = (...keys: (readonly string[])[]): void => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
  };
  /** What is on its way may have been read before the change, and would undo the patch: it is asked anew. */
  const askAnewIfOnItsWay = async (queryKey: readonly string[]): Promise<void> => {
    const query = queries.getQueryCache().find({ queryKey, exact: true });
    if (query?.state.fetchStatus !== 'fetching') return;
    // The first answer is waited for: there is nothing to patch yet.
    if (query.state.data === undefined) await query.promise?.catch(() => undefined);
    await queries.invalidateQueries({ queryKey });
  };

  const patchFriends = (me: number, patch: (friends: Friend[]) => Friend[]): void => {
    queries.setQueryData<Friend[]>(friendsKey(me), (friends) => friends && patch(friends));
    void askAnewIfOnItsWay(friendsKey(me));
  };
  const patchRequests = (me: number, patch: (requests: FriendRequest[]) => FriendRequest[]): void => {
    queries.setQueryData<FriendRequest[]>(friendRequestsKey(me), (requests) => requests && patch(requests));
    void askAnewIfOnItsWay(friendRequestsKey(me));
  };
  const keepProfile = (profile: Profile): void => {
    const { id, username, avatar } = profile;
    queries.setQueryData<Profile>(profileKey(id), { id, username, avatar });
  };

  return (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me) return;
    switch (frame.event) {
      case 'chat_matched':
        useSentRequests.getState().reset();
        return;
      case 'friend_request': {
        const { id, requesterId, requester, createdAt } = frame.data;
        // It may come under either of its two names, or twice (A124).
        if (seenRequests.has(id)) return;
        seenRequests.add(id);
        keepProfile(requester);
        patchRequests(me.id, (requests) => [
          ...requests.filter((request) => request.id !== id),
          { id, requesterId, addresseeId: me.id, status: 'pending', createdAt },
        ]);
        recount(friendRequestsKey(me.id));
        raise('friend-request-received', { id, requesterId });
        return;
      }
      case 'friendship_accepted': {
        const { requestId, friend } = frame.data;
        keepProfile(friend);
        patchFriends(me.id, (friends) => withFriend(friends, friend));
        patchRequests(me.id, (requests) => requests.filter(({ requesterId }) => requesterId !== friend.id));
        recount(friendsKey(me.id), friendRequestsKey(me.id));
        raise('friendship-accepted', { requestId, friendId: friend.id });
        return;
      }
      case 'friendship_removed': {
        const { removedFriendId, removedBy } = frame.data;
        const friendId = removedBy === me.id ? removedFriendId : removedBy;
        useSentRequests.getState().forget(friendId);
        patchFriends(me.id, (friends) => withoutFriend(friends, friendId));
        recount(friendsKey(me.id), friendRequestsKey(me.id));
        raise('friendship-removed', { removedFriendId, removedBy });
        return;
      }
      case 'presence': {
        const { userId, isOnline } = frame.data;
        patchFriends(me.id, (friends) => withPresence(friends, userId, isOnline));
        return;
      }
      case 'profile_updated': {
        const { user } = frame.data;
        if (user.id === me.id) {
          mergeIntoUser({ username: user.username, avatar: user.avatar });
          return;
        }
        keepProfile(user);
        patchFriends(me.id, (friends) => withProfile(friends, user));
        raise('profileUpdated', { userId: user.id });
        return;
      }
      default:
        return;
    }
  };
};
