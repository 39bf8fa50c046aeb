import type { QueryRunner } from 'typeorm';

/**
 * Creates an index on a table that may be large, without blocking writes to the table. For migrations with
 * `transaction = false`, because PostgreSQL refuses CREATE INDEX CONCURRENTLY in a transaction. An interrupted
 * migration may run again: a valid index is kept, and an invalid one is replaced.
 * @param definition what follows ON in the statement, for example `friend_requests (requester_id)`
 */
export const createIndexConcurrently = async (
  queryRunner: QueryRunner,
  name: string,
  definition: string,
): Promise<void> => {
  const [existing] = (await queryRunner.query(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )) as { isValid: boolean }[];
  if (existing?.isValid) return;
  // No limit (0) on the wait for a lock: CREATE INDEX CONCURRENTLY waits for the end of every older transaction. No
  // writer waits for it meanwhile.
  await queryRunner.query('SET lock_timeout = 0');
  try {
    // An interrupted run leaves an invalid index, which no query uses.
    if (existing) await queryRunner.query(`DROP INDEX CONCURRENTLY ${name}`);
    await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  } finally {
    await queryRunner.query('RESET lock_timeout');
  }
};
