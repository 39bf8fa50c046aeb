import { readStoredReports } from './reports.fixture';
import type { TestStack } from './test-stack.harness';
import type { ThawVisitor } from './thaw.client';

// Reads what is stored in the conduct stream of a user, which has the events of their cases.

type WithDatabase = Pick<TestStack, 'database'>;
type WithUser = Pick<ThawVisitor, 'user'>;

/** The version of the user's conduct stream, which a decision has to state. */
export const readConductVersion = async ({ database }: WithDatabase, { user }: WithUser): Promise<number> => {
  const [row] = await database.dataSource.query<{ version: string }[]>(
    'SELECT version FROM event_streams WHERE stream_id = $1',
    [`conduct-${user.id}`],
  );
  return Number(row!.version);
};

/** The types of the user's conduct events, oldest first. */
export const readConductEventTypes = async (
  { database }: WithDatabase,
  { user }: WithUser,
): Promise<string[]> => {
  const rows = await database.dataSource.query<{ type: string }[]>(
    'SELECT type FROM events WHERE stream_id = $1 ORDER BY stream_position',
    [`conduct-${user.id}`],
  );
  return rows.map(({ type }) => type);
};

/**
 * When the personal data of the user's conduct events expires, by event type; null while it is kept without an end.
 * Data that has expired is absent.
 */
export const readExpiries = async (
  { database }: WithDatabase,
  { user }: WithUser,
): Promise<Record<string, string | null>> => {
  const rows = await database.dataSource.query<{ type: string; expires_at: Date | null }[]>(
    `SELECT e.type, p.expires_at FROM events e JOIN event_private p USING (stream_id, event_id)
     WHERE stream_id = $1 ORDER BY stream_position`,
    [`conduct-${user.id}`],
  );
  return Object.fromEntries(rows.map((row) => [row.type, row.expires_at?.toISOString() ?? null]));
};

/** Whether the evidence of the first report about the user is stored. */
export const hasEvidence = async (stack: WithDatabase, user: WithUser): Promise<boolean> =>
  (await readStoredReports(stack, user))[0]?.evidence !== undefined;

/** Whether a statement in the test's database is waiting for a lock. */
export const isWaitingForLock = async ({ database }: WithDatabase): Promise<boolean> => {
  const rows = await database.dataSource.query<unknown[]>(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};
