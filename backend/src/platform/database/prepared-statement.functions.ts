import type { EntityManager } from 'typeorm';

/** A statement with a unique name, which PostgreSQL parses and plans once per connection. */
export interface PreparedStatement {
  name: string;
  text: string;
}

/**
 * Runs a prepared statement. For frequent statements whose planning is expensive. Not for statements whose best plan
 * depends on the size of their parameters: after a few executions PostgreSQL switches to a generic plan.
 */
export const runPrepared = <Rows>(
  manager: Pick<EntityManager, 'query'>,
  statement: PreparedStatement,
  parameters: unknown[],
): Promise<Rows> =>
  // TypeORM passes the first argument to the driver unchanged, and the driver accepts a named statement.
  manager.query<Rows>(statement as unknown as string, parameters);
