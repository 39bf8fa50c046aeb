/**
 * Decides what a user may learn about another user. The decision needs friendships and chats, whose modules depend on
 * the users module, so the presence module implements this port.
 */
export interface UserRelationsPort {
  /** Whether the two have chatted, are friends, or have a friend request between them. */
  areAcquainted(userId: number, otherId: number): Promise<boolean>;
  /**
   * Whether the viewer may read the user's profile: never if the user has blocked the viewer; otherwise if the two are
   * acquainted, or if the viewer has blocked the user.
   */
  mayReadProfile(viewerId: number, userId: number): Promise<boolean>;
  /** Whether the user is online and the viewer is allowed to see it. */
  isSeenOnline(viewerId: number, userId: number): Promise<boolean>;
}

export const USER_RELATIONS = Symbol('USER_RELATIONS');
