import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PartitionedEvents1763640960000 } from './1763640960000-partitioned-events';
import { migrations } from './migration.registry';

const findTables = (sql: string, pattern: RegExp): string[] =>
  [...sql.matchAll(pattern)].map(([, table]) => table ?? '');

/** Returns the statements of a migration as one text. No query returns rows, so every index seems to be missing. */
const recordSql = async (migration: MigrationInterface): Promise<string> => {
  const statements: string[] = [];
  const query = (sql: string) => {
    statements.push(sql);
    return Promise.resolve([]);
  };
  await migration.up({ query } as unknown as QueryRunner);
  return statements.join(';\n');
};

describe('migrations', () => {
  it.each(
    // `PartitionedEvents` creates indexes only on its copies of the tables, while these are empty.
    migrations.filter((each) => each !== PartitionedEvents1763640960000).map((each) => [each.name, each]),
  )(
    '%s indexes existing tables only with CONCURRENTLY, which blocks no writers',
    async (_name, migration) => {
      const sql = await recordSql(new migration());
      const createdTables = findTables(sql, /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
      const tablesIndexedWithBlocking = findTables(
        sql,
        /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+\s+ON (\w+)/g,
      );
      expect(tablesIndexedWithBlocking.filter((table) => !createdTables.includes(table))).toEqual([]);
    },
  );

  it('add only tables, columns and indexes that are missing, unless they run in one transaction', async () => {
    // So a migration that was interrupted can be run again. `PartitionedEvents` has a test of its own for this.
    for (const migration of migrations.map((each) => new each() as MigrationInterface)) {
      if (migration.transaction !== false || migration instanceof PartitionedEvents1763640960000) continue;
      const sql = await recordSql(migration);
      expect(sql).not.toMatch(/CREATE TABLE (?!IF NOT EXISTS)|ADD COLUMN (?!IF NOT EXISTS)/);
      // CONCURRENTLY needs no IF NOT EXISTS, because `createIndexConcurrently` looks for the index first.
      expect(sql).not.toMatch(/CREATE (UNIQUE )?INDEX (?!CONCURRENTLY|IF NOT EXISTS)/);
    }
  });
});
