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
    // The server has a process for each connection, which is a child of the postmaster.
    const connectionPid = rows[0]?.pid ?? 0;
    return new PostgresMeter(client, readParentPid(connectionPid));
  }

  /** CPU time of the server so far, in microseconds: of its running processes, and of those that have ended. */
  get cpuMicros(): number {
    const runningMicros = this.listRunningPids().reduce((sum, pid) => sum + readCpuMicrosIfRunning(pid), 0);
    return runningMicros + readStat(this.postmasterPid).endedChildrenMicros;
  }

  /** The postmaster and its children. */
  private listRunningPids(): number[] {
    // `Number` turns the entries of /proc that are not processes into NaN.
    const allPids = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
    return allPids.filter((pid) => pid === this.postmasterPid || readParentPid(pid) === this.postmasterPid);
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

interface ProcessStat {
  parentPid: number;
  /** CPU time of the children that have ended. */
  endedChildrenMicros: number;
}

/** Reads /proc/<pid>/stat. @throws Error when the process has ended */
const readStat = (pid: number): ProcessStat => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Field 2 is the name of the program in parentheses, which may contain spaces. The numbers are those of proc(5).
  const fieldsFromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const readNumber = (fieldNumber: number): number => Number(fieldsFromThird[fieldNumber - 3]);
  const userTicks = readNumber(16);
  const systemTicks = readNumber(17);
  return { parentPid: readNumber(4), endedChildrenMicros: (userTicks + systemTicks) * TICK_MICROS };
};

/** @returns the process id of the parent; 0 when the process has ended */
const readParentPid = (pid: number): number => {
  try {
    return readStat(pid).parentPid;
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
