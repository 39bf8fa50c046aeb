import type { EntityManager } from 'typeorm';

/** A statement with a name of its own: PostgreSQL parses and plans it once per connection. */
export interface PreparedStatement {
  name: string;
  text: string;
}

/**
 * For statements of a hot path that are dear to plan. Not for those whose plan depends on how much they are given: after
 * a few times PostgreSQL stops looking.
 */
export const runPrepared = <Rows>(
  manager: Pick<EntityManager, 'query'>,
  statement: PreparedStatement,
  parameters: unknown[],
): Promise<Rows> =>
  // TypeORM hands the first argument to the driver as it is, and the driver takes a statement with a name.
  manager.query<Rows>(statement as unknown as string, parameters);
