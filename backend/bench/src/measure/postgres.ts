import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { readCpuMicros } from './server-process';

/** PostgreSQL reports the statistics of its sessions at most this much later. */
export const STATISTICS_LAG_MS = 11_000;

/** Meters the CPU time and the transactions of PostgreSQL. */
export class PostgresMeter {
  private constructor(
    private readonly client: Client,
    private readonly postmaster: number,
  ) {}

  static async open(databaseUrl: string): Promise<PostgresMeter> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new PostgresMeter(client, readParent(rows[0]?.pid ?? 0));
  }

  /** CPU time of the server, in microseconds: of its living processes, and of the sessions that have ended. */
  get cpuMicros(): number {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && (pid === this.postmaster || readParent(pid) === this.postmaster))
      .reduce((sum, pid) => sum + readSessionCpuMicros(pid), readEndedChildrenMicros(this.postmaster));
  }

  /** Transactions so far; a statement outside a transaction counts as one. They appear `STATISTICS_LAG_MS` late. */
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

/** The fields of /proc/<pid>/stat after the name of the program. @throws Error when the process has ended */
const readStatus = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** @returns the parent's process id; 0 when the process has ended. */
const readParent = (pid: number): number => {
  try {
    return Number(readStatus(pid)[1]);
  } catch {
    return 0;
  }
};

/** @returns 0 when the process has ended since it was listed. */
const readSessionCpuMicros = (pid: number): number => {
  try {
    return readCpuMicros(pid);
  } catch {
    return 0;
  }
};

/** CPU time of the children that have ended (cutime and cstime). */
const readEndedChildrenMicros = (pid: number): number => {
  const [user, system] = readStatus(pid).slice(13, 15).map(Number);
  return ((user ?? 0) + (system ?? 0)) * TICK_MICROS;
};
