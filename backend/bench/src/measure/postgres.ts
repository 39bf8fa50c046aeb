import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { readCpuMicros } from './server-process';

/**
 * Longest delay until a transaction of a session appears in the statistics of PostgreSQL: an idle session reports it
 * within 10 s (`PGSTAT_IDLE_INTERVAL`). The rest is a margin.
 */
export const STATISTICS_LAG_MS = 11_000;

/** Meters the CPU time and the transactions of PostgreSQL. */
export class PostgresMeter {
  private constructor(
    private readonly client: Client,
    /** The first process of the server, which is the parent of all others. */
    private readonly postmasterPid: number,
  ) {}

  static async open(databaseUrl: string): Promise<PostgresMeter> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new PostgresMeter(client, readParentPid(rows[0]?.pid ?? 0));
  }

  /** CPU time of the server so far, in microseconds: of its running processes, and of those that have ended. */
  get cpuMicros(): number {
    const runningPids = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && (pid === this.postmasterPid || readParentPid(pid) === this.postmasterPid));
    const runningMicros = runningPids.reduce((sum, pid) => sum + readCpuMicrosIfRunning(pid), 0);
    return runningMicros + readEndedChildrenCpuMicros(this.postmasterPid);
  }

  /**
   * Counts the transactions so far; a statement outside a transaction counts as one. A transaction is counted up to
   * `STATISTICS_LAG_MS` after its end.
   */
  async countTransactions(): Promise<number> {
    const { rows } = await this.client.query<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.count);
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

/** The unit of times in /proc/<pid>/stat. */
const TICK_MICROS = 10_000;

/** @returns the fields of /proc/<pid>/stat from the third on (`state`). @throws Error when the process has ended */
const readStatFields = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** @returns the process id of the parent; 0 when the process has ended */
const readParentPid = (pid: number): number => {
  try {
    const [, parentPid] = readStatFields(pid);
    return Number(parentPid);
  } catch {
    return 0;
  }
};

/** @returns 0 when the process has ended since it was listed */
const readCpuMicrosIfRunning = (pid: number): number => {
  try {
    return readCpuMicros(pid);
  } catch {
    return 0;
  }
};

/** CPU time of the children that have ended. */
const readEndedChildrenCpuMicros = (pid: number): number => {
  // Fields 16 and 17 of proc(5), `cutime` and `cstime`. The array begins with field 3.
  const [userTicks, systemTicks] = readStatFields(pid).slice(13, 15).map(Number);
  return ((userTicks ?? 0) + (systemTicks ?? 0)) * TICK_MICROS;
};
