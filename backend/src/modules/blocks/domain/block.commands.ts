interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
  blockerId: number;
  blockedId: number;
}

export type BlockUser = Command<'BlockUser'> & {
  /** False for the blocker themself, for users who do not exist, and for users whom the blocker has never met. */
  mayBlock: boolean;
  /** Number of users whom the blocker has already blocked; the decider limits it. */
  blockedCount: number;
};
export type UnblockUser = Command<'UnblockUser'>;

export type BlockCommand = BlockUser | UnblockUser;
