/** What a user may learn about another because of their relation. Implemented with friends and chats. */
export interface UserRelationsPort {
  /**
   * Whether the viewer may read the other user's profile (A12): chat partners, friends, either side of a friend
   * request.
   */
  mayReadProfile(viewerId: number, userId: number): Promise<boolean>;
  /** Whether the other user is online and the viewer is allowed to see it. */
  isSeenOnline(viewerId: number, userId: number): Promise<boolean>;
}

export const USER_RELATIONS = Symbol('USER_RELATIONS');
