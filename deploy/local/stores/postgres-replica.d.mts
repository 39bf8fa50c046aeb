/** A PostgreSQL and a streaming replica of it, as local processes. */
export interface PostgresPair {
  /** Address of the primary, as the owner of all databases. */
  readonly url: string;
  /** Address of the replica, which accepts reads only. */
  readonly replicaUrl: string;
  /** Starts the stopped replica again, with its data. */
  startReplica(): Promise<void>;
  stopReplica(): Promise<void>;
  /** Stops both servers and deletes their data. */
  stop(): Promise<void>;
}

/** Finds the program folder of an installed PostgreSQL that includes pg_basebackup. */
export function findPostgresProgramFolder(): string | undefined;

/** Starts the PostgreSQL of `findPostgresProgramFolder` and a streaming replica of it. */
export function startPostgresPair(): Promise<PostgresPair>;
