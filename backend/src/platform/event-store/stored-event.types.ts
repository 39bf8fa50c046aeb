/** What a caller appends. `data` is whole; the store takes personal fields out of it. */
export interface NewEvent<Type extends string = string, Data extends object = object> {
  /** Uuid, made with the command: an event that is in its stream already is dropped by it. */
  eventId: string;
  type: Type;
  data: Data;
  occurredAt: Date;
  metadata?: Record<string, unknown>;
}

/** What is read back. Personal fields that were erased or expired are absent from `data`. */
export interface StoredEvent<Type extends string = string, Data extends object = object> {
  globalPosition: number;
  streamId: string;
  streamPosition: number;
  eventId: string;
  type: Type;
  schemaVersion: number;
  data: Data;
  metadata: Record<string, unknown>;
  occurredAt: Date;
}
