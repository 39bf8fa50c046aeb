interface RecordedEvent<Type extends string> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: { blockerId: number; blockedId: number };
}

/**
 * The events of one user's block of another, in the stream `block-<blocker id>-<blocked id>`. In their stored types,
 * "person" means a user.
 */
export type BlockEvent = RecordedEvent<'PersonBlocked'> | RecordedEvent<'PersonUnblocked'>;

export const buildBlockStreamId = (blockerId: number, blockedId: number): string =>
  `block-${blockerId}-${blockedId}`;
