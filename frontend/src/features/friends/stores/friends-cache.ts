import { type FriendRequest } from '@thaw/contract/friends';
import { type LastMessage } from '@thaw/contract/last-message';
import { type Friend, type Profile } from '@thaw/contract/users';
import { type QueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { withLastMessage } from '@/features/friends/friend-list';
import { refetchIfInFlight } from '@/lib/query-client';
import { profileKey } from '@/product/profile-query';

/**
 * Patches the cached friends, friend requests and profiles with pushed changes. A query of a list that is in flight may
 * return data from before the change and overwrite the patch, so the query is repeated.
 */
export class FriendsCache {
  constructor(private readonly queries: QueryClient) {}

  patchFriends(myId: number, patch: (friends: Friend[]) => Friend[]): void {
    this.patch<Friend[]>(friendsKey(myId), patch);
  }

  patchRequests(myId: number, patch: (requests: FriendRequest[]) => FriendRequest[]): void {
    this.patch<FriendRequest[]>(friendRequestsKey(myId), patch);
  }

  /** Caches only the fields of a profile: callers may pass users, which have more. */
  setProfile({ id, username, avatar }: Profile): void {
    this.queries.setQueryData<Profile>(profileKey(id), { id, username, avatar });
  }

  /** Removes a cached profile, which may no longer be visible to the user. Profiles on display are loaded again. */
  forgetProfile(userId: number): void {
    void this.queries.resetQueries({ queryKey: profileKey(userId) });
  }

  /** Sets the newest message with a friend. Null means that the message is unknown; the friends are then refetched. */
  setLastMessage(myId: number, friendId: number, lastMessage: LastMessage | null): void {
    if (lastMessage) this.patchFriends(myId, (friends) => withLastMessage(friends, friendId, lastMessage));
    else void this.queries.invalidateQueries({ queryKey: friendsKey(myId) });
  }

  /** Invalidates the friends, the requests, or both. */
  invalidate(myId: number, ...lists: ('friends' | 'requests')[]): void {
    for (const list of lists) {
      const queryKey = list === 'friends' ? friendsKey(myId) : friendRequestsKey(myId);
      void this.queries.invalidateQueries({ queryKey });
    }
  }

  private patch<Data>(queryKey: readonly string[], patch: (data: Data) => Data): void {
    this.queries.setQueryData<Data>(queryKey, (data) => data && patch(data));
    void refetchIfInFlight(this.queries, queryKey);
  }
}
