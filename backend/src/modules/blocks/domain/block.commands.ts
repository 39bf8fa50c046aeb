interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
  blockerId: number;
  blockedId: number;
}

export type BlockUser = Command<'BlockUser'> & {
  /** Whether the blocker has met the other user, or knows of them in another way (A12). */
  isAcquainted: boolean;
  /** Number of users whom the blocker has blocked. */
  blockedCount: number;
};
export type UnblockUser = Command<'UnblockUser'>;

export type BlockCommand = BlockUser | UnblockUser;
