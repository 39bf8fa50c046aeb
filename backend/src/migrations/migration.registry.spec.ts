import type { MigrationInterface, QueryRunner } from 'typeorm';
import { PartitionedEvents1763640960000 } from './1763640960000-partitioned-events';
import { migrations } from './migration.registry';

const findTables = (sql: string, pattern: RegExp): string[] =>
  [...sql.matchAll(pattern)].map(([, table]) => table ?? '');

/** The statements of a migration; the index that it looks for is missing. */
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
    // It copies tables, and creates the indexes of the copies while they are empty.
    migrations.filter((each) => each !== PartitionedEvents1763640960000).map((each) => [each.name, each]),
  )('%s indexes tables that exist already without blocking those who write', async (_, migration) => {
    const sql = await listStatements(new migration());
    const created = findTables(sql, /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
    const blocked = findTables(
      sql,
      /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+\s+ON (\w+)/g,
    );
    expect(blocked.filter((table) => !created.includes(table))).toEqual([]);
  });

  it('that are not one transaction can be run again after an interruption', async () => {
    for (const migration of migrations.map((each) => new each() as MigrationInterface)) {
      if (migration.transaction !== false || migration instanceof PartitionedEvents1763640960000) continue;
      const sql = await listStatements(migration);
      expect(sql).not.toMatch(/CREATE TABLE (?!IF NOT EXISTS)|ADD COLUMN (?!IF NOT EXISTS)/);
      expect(sql).not.toMatch(/CREATE (UNIQUE )?INDEX (?!CONCURRENTLY|IF NOT EXISTS)/);
    }
  });
});
