interface RecordedBlockEvent<Type extends string> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: { blockerId: number; blockedId: number };
}

/**
 * The events of one user's block of another, in the stream `block-<blocker id>-<blocked id>`. The stored types say
 * `Person` for a user (docs/stored-names.md).
 */
export type BlockEvent = RecordedBlockEvent<'PersonBlocked'> | RecordedBlockEvent<'PersonUnblocked'>;

export const buildBlockStreamId = (blockerId: number, blockedId: number): string =>
  `block-${blockerId}-${blockedId}`;
