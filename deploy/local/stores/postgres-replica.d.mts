/** A PostgreSQL and a streaming replica of it, as local processes. */
export interface PostgresPair {
  /** Address of the primary, as the owner of all databases. */
  readonly url: string;
  readonly replicaUrl: string;
  /** Starts the replica again, with its data. */
  startReplica(): Promise<void>;
  stopReplica(): Promise<void>;
  stop(): Promise<void>;
}

export function findPostgresPrograms(): string | undefined;

export function startPostgresPair(): Promise<PostgresPair>;
