import { type FriendRequest } from '@thaw/contract/friends';
import { type LastMessage } from '@thaw/contract/last-message';
import { type Friend, type Profile } from '@thaw/contract/users';
import { type QueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { withLastMessage } from '@/features/friends/friend-list';
import { refetchIfInFlight } from '@/lib/query-client';
import { profileKey } from '@/product/profile-query';

/**
 * Patches the cached friends, requests and profiles with pushed changes. A request in flight may carry data from before
 * the change and overwrite the patch, so it is repeated.
 */
export class FriendsCache {
  constructor(private readonly queries: QueryClient) {}

  patchFriends(me: number, patch: (friends: Friend[]) => Friend[]): void {
    this.patch<Friend[]>(friendsKey(me), patch);
  }

  patchRequests(me: number, patch: (requests: FriendRequest[]) => FriendRequest[]): void {
    this.patch<FriendRequest[]>(friendRequestsKey(me), patch);
  }

  setProfile({ id, username, avatar }: Profile): void {
    this.queries.setQueryData<Profile>(profileKey(id), { id, username, avatar });
  }

  /** Loads a profile again as if it were not known: it may no longer be visible to the user. */
  forgetProfile(userId: number): void {
    void this.queries.resetQueries({ queryKey: profileKey(userId) });
  }

  /** Sets the newest message with a friend. Null means that only the server has it, and refetches the friends. */
  setLastMessage(me: number, friendId: number, lastMessage: LastMessage | null): void {
    if (lastMessage) this.patchFriends(me, (friends) => withLastMessage(friends, friendId, lastMessage));
    else void this.queries.invalidateQueries({ queryKey: friendsKey(me) });
  }

  /** Invalidates the friends, the requests, or both. */
  invalidate(me: number, ...which: ('friends' | 'requests')[]): void {
    for (const name of which) {
      const queryKey = name === 'friends' ? friendsKey(me) : friendRequestsKey(me);
      void this.queries.invalidateQueries({ queryKey });
    }
  }

  private patch<Data>(queryKey: readonly string[], patch: (data: Data) => Data): void {
    this.queries.setQueryData<Data>(queryKey, (data) => data && patch(data));
    void refetchIfInFlight(this.queries, queryKey);
  }
}
