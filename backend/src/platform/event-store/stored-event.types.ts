/** An event to append. `data` is complete; the store separates its personal fields. */
export interface NewEvent<Type extends string = string, Data extends object = object> {
  /** UUID, created with the command: an event whose id is already in its stream is skipped. */
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
  schemaVersion: number;
  data: Data;
  metadata: Record<string, unknown>;
  occurredAt: Date;
}
