/** An event to append. `data` includes the personal fields, which the store keeps apart from the log. */
export interface NewEvent<Type extends string = string, Data extends object = object> {
  /** UUID from the command. An event whose id is already in its stream is skipped, so a command can be retried. */
  eventId: string;
  type: Type;
  data: Data;
  occurredAt: Date;
  metadata?: Record<string, unknown>;
}

/** An event as it is read. Personal fields that were erased or have expired are absent from `data`. */
export interface StoredEvent<Type extends string = string, Data extends object = object> {
  /** Position in the log of all streams. Positions may have gaps. */
  globalPosition: number;
  streamId: string;
  /** Position in the stream: 1, 2, 3 and so on. */
  streamPosition: number;
  eventId: string;
  type: Type;
  /** Version of the shape of `data`, from 1. */
  schemaVersion: number;
  data: Data;
  metadata: Record<string, unknown>;
  occurredAt: Date;
}
