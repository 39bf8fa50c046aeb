/** What one user may know of another because of how the two are related; friends and chats answer it. */
export interface UserRelationsPort {
  /** Whether the viewer may read the other's profile (A12): partners of a chat, friends, either side of a request. */
  mayReadProfile(viewerId: number, userId: number): Promise<boolean>;
  /** Whether the viewer may know that the other is online, and the other is. */
  isSeenOnline(viewerId: number, userId: number): Promise<boolean>;
}

export const USER_RELATIONS = Symbol('USER_RELATIONS');
