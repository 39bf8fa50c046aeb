import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PartitionedEvents1763640960000 } from './1763640960000-partitioned-events';
import { migrations } from './migration.registry';

const findTables = (sql: string, pattern: RegExp): string[] =>
  [...sql.matchAll(pattern)].map(([, table]) => table ?? '');

/** Lists the statements of a migration. No query returns rows, so every index seems to be missing. */
const listStatements = async (migration: MigrationInterface): Promise<string> => {
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
    // `PartitionedEvents` creates indexes only on its copies, while these are empty.
    migrations.filter((each) => each !== PartitionedEvents1763640960000).map((each) => [each.name, each]),
  )(
    '%s blocks no writers of the tables that it indexes, unless it creates them',
    async (_name, migration) => {
      const sql = await listStatements(new migration());
      const created = findTables(sql, /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
      const indexedWithBlocking = findTables(
        sql,
        /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+\s+ON (\w+)/g,
      );
      expect(indexedWithBlocking.filter((table) => !created.includes(table))).toEqual([]);
    },
  );

  it('can be run again after an interruption if they are not one transaction', async () => {
    // `PartitionedEvents` has a test of its own, which interrupts it.
    for (const migration of migrations.map((each) => new each() as MigrationInterface)) {
      if (migration.transaction !== false || migration instanceof PartitionedEvents1763640960000) continue;
      const sql = await listStatements(migration);
      expect(sql).not.toMatch(/CREATE TABLE (?!IF NOT EXISTS)|ADD COLUMN (?!IF NOT EXISTS)/);
      expect(sql).not.toMatch(/CREATE (UNIQUE )?INDEX (?!CONCURRENTLY|IF NOT EXISTS)/);
    }
  });
});
