import type { EntityManager } from 'typeorm';
import { allowsPreparedStatements } from './data-source.config';

/** A statement with a unique name. PostgreSQL parses it once per connection and can reuse its plan. */
export interface PreparedStatement {
  name: string;
  text: string;
}

/**
 * Runs a statement, prepared unless DATABASE_PREPARED_STATEMENTS is off. For frequent statements whose planning is
 * expensive. Not for statements whose best plan depends on the size of their parameters: after a few executions
 * PostgreSQL may switch to a generic plan.
 * @returns the rows of the result.
 */
export const runPrepared = <Rows>(
  manager: EntityManager,
  statement: PreparedStatement,
  parameters: unknown[],
): Promise<Rows> =>
  // TypeORM passes the first argument to the driver unchanged, and the driver accepts a named statement.
  manager.query<Rows>(
    allowsPreparedStatements(manager.dataSource) ? (statement as unknown as string) : statement.text,
    parameters,
  );
