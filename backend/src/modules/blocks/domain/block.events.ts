interface RecordedEvent<Type extends string> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: { blockerId: number; blockedId: number };
}

/** All events of one direction between two users, in the stream `block-<blocker>-<blocked>`. */
export type BlockEvent = RecordedEvent<'PersonBlocked'> | RecordedEvent<'PersonUnblocked'>;

export const blockStream = (blockerId: number, blockedId: number): string =>
  `block-${blockerId}-${blockedId}`;
