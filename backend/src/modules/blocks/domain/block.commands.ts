interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
  blockerId: number;
  blockedId: number;
}

export type BlockUser = Command<'BlockUser'> & {
  /** False if the user to block is the blocker themself, does not exist, or has never met the blocker. */
  mayBlock: boolean;
  /** Number of users whom the blocker has already blocked; the decider limits it. */
  blockedCount: number;
};
export type UnblockUser = Command<'UnblockUser'>;

export type BlockCommand = BlockUser | UnblockUser;
