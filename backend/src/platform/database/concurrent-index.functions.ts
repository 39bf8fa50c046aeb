import type { QueryRunner } from 'typeorm';

/**
 * Creates an index of a table that may be large, without blocking writes to it. For migrations with
 * `transaction = false`: PostgreSQL refuses it in a transaction. May be run again after it was interrupted.
 * @param on  the table and its columns: `friend_requests (requester_id)`
 */
export const createIndexConcurrently = async (
  queryRunner: QueryRunner,
  name: string,
  on: string,
): Promise<void> => {
  const [found] = (await queryRunner.query(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )) as { isValid: boolean }[];
  if (found?.isValid) return;
  // It waits for every older transaction, and no writer waits for it.
  await queryRunner.query('SET lock_timeout = 0');
  try {
    // An interrupted attempt leaves an index that is not used.
    if (found) await queryRunner.query(`DROP INDEX CONCURRENTLY ${name}`);
    await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  } finally {
    await queryRunner.query('RESET lock_timeout');
  }
};
