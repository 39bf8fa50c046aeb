import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

const POLL_MS = 50;

/**
 * Finds the transactions that append events, or may be about to do so. An INSERT takes a RowExclusiveLock on `events`
 * before it assigns positions, and its transaction keeps the lock until it ends.
 */
const APPENDING_TRANSACTIONS_SQL = `
SELECT DISTINCT virtualtransaction AS id FROM pg_locks
WHERE locktype = 'relation' AND relation = 'events'::regclass AND mode = 'RowExclusiveLock' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Finds positions of the event log. Positions are assigned before the commit, so events may become visible in an order
 * other than that of their positions.
 */
export class LogPositionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Waits for the appends that are running when it is called.
   * @returns a position up to which no event will be added any more, so a reader that has reached it has missed none; 0
   * if there are no events.
   */
  async findSettled(): Promise<number> {
    const position = await this.findHighest();
    // A transaction that was already running when `position` was read may still commit an event at a lower position.
    let pending = await this.listAppending();
    while (pending.size > 0) {
      await wait(POLL_MS);
      const running = await this.listAppending();
      pending = new Set([...pending].filter((id) => running.has(id)));
    }
    return position;
  }

  /** The highest position of a committed event; 0 if there are none. */
  private async findHighest(): Promise<number> {
    const [row] = await this.dataSource.query<{ position: string | null }[]>(
      'SELECT max(global_position) AS position FROM events',
    );
    return Number(row?.position ?? 0);
  }

  private async listAppending(): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(APPENDING_TRANSACTIONS_SQL);
    return new Set(rows.map(({ id }) => id));
  }
}
