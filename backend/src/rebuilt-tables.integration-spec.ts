// Uses real PostgreSQL, with a separate role for the service.
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import { ProjectionRebuildService } from './platform/event-store/projection-rebuild.service';
import { ProjectionRegistry } from './platform/event-store/projection.registry';
import { ReadModelsModule } from './read-models.module';
import { createTestDatabase, type TestDatabase } from './testing/test-database.harness';

jest.setTimeout(60_000);

const role = `thaw_service_${randomBytes(4).toString('hex')}`;

/** Returns the definitions of the tables $1 as PostgreSQL stores them, one property a line. */
const DEFINITIONS_SQL = `
WITH tables AS (SELECT * FROM pg_class WHERE oid = ANY($1::text[]::regclass[]))
SELECT line FROM (
  SELECT format('table %s kind %s owner %s options %s toast %s', relname, relkind, relowner::regrole, reloptions,
    (SELECT toast.reloptions FROM pg_class AS toast WHERE toast.oid = tables.reltoastrelid)) AS line
  FROM tables
  UNION ALL
  SELECT format('column %s %s %s not null %s default %s statistics %s options %s storage %s %s', relname, attname,
    format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attstattarget, attoptions, attstorage, attnum)
  FROM tables JOIN pg_attribute ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = tables.oid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT format('constraint %s %s %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
  FROM tables JOIN pg_constraint ON conrelid = tables.oid
  UNION ALL
  SELECT format('index %s valid %s', pg_get_indexdef(indexrelid), indisvalid) FROM tables JOIN pg_index ON indrelid = tables.oid
  UNION ALL
  SELECT format('index column %s %s statistics %s', indexrelid::regclass, attname, attstattarget)
  FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_attribute ON attrelid = indexrelid
  UNION ALL
  SELECT format('privilege %s %s %s %s', relname, grantee::regrole, privilege_type, is_grantable)
  FROM tables CROSS JOIN LATERAL aclexplode(relacl)
  UNION ALL
  SELECT format('privilege %s.%s %s %s %s', relname, attname, grantee::regrole, privilege_type, is_grantable)
  FROM tables JOIN pg_attribute ON attrelid = tables.oid CROSS JOIN LATERAL aclexplode(attacl)
  UNION ALL
  SELECT format('sequence %s of %s.%s', objid::regclass, relname, attname)
  -- A sequence has the dependency type 'a' (auto) on the serial column that owns it.
  FROM tables JOIN pg_depend ON refobjid = tables.oid AND deptype = 'a' AND classid = 'pg_class'::regclass
  JOIN pg_attribute ON attrelid = tables.oid AND attnum = refobjsubid
  WHERE objid IN (SELECT oid FROM pg_class WHERE relkind = 'S')
) AS lines ORDER BY line`;

describe('tables that a rebuild has replaced', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;

  beforeAll(async () => {
    database = await createTestDatabase();
    const environment = loadEnvironment({ ...database.settings, REDIS_URL: process.env.REDIS_URL });
    app = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment), {
      logger: false,
    });
  });
  afterAll(async () => {
    await app.close();
    await database.dataSource.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await database.close();
  });

  it('have the same columns, constraints, indexes, privileges, statistics and sequences as the old tables', async () => {
    const { dataSource } = database;
    // The new role gets the privileges of a service's role. The rest is what no migration uses yet, such as options.
    await dataSource.query(`
      CREATE ROLE ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT SELECT ON notices TO ${role} WITH GRANT OPTION;
      GRANT SELECT (id) ON reports TO PUBLIC;
      ALTER TABLE chat_history SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
      ALTER TABLE private_messages SET (toast.autovacuum_vacuum_threshold = 7, toast.autovacuum_enabled = true);
      ALTER TABLE blocks ADD COLUMN number serial, ADD COLUMN share numeric(4, 2) DEFAULT 1.5;
      ALTER TABLE appeals ALTER COLUMN user_id SET (n_distinct = -0.5)`);
    const tables = app
      .get(ProjectionRegistry)
      .list()
      .flatMap((projection) => projection.tables);
    expect(tables.length).toBeGreaterThan(10);
    const readDefinitions = async (): Promise<string[]> =>
      (await dataSource.query<{ line: string }[]>(DEFINITIONS_SQL, [tables])).map(({ line }) => line);
    const readTableIds = () => dataSource.query('SELECT $1::text[]::regclass[]::oid[] AS ids', [tables]);
    const definitionsBefore = await readDefinitions();
    const tableIdsBefore = await readTableIds();
    // The definitions contain every kind of line, and what a rebuild could easily lose.
    for (const kind of ['table', 'column', 'constraint', 'index', 'index column', 'privilege', 'sequence'])
      expect(definitionsBefore.some((line) => line.startsWith(`${kind} `))).toBe(true);
    // A migration has turned off the statistics of this column.
    expect(definitionsBefore.join('\n')).toMatch(/column users email .* statistics 0 /);
    expect(definitionsBefore.join('\n')).toMatch(
      /table private_messages .* toast .*autovacuum_vacuum_threshold=7/,
    );

    await app.get(ProjectionRebuildService).rebuild();

    expect(await readTableIds()).not.toEqual(tableIdsBefore);
    expect(await readDefinitions()).toEqual(definitionsBefore);
    // The sequence still provides the default of the new column `number`.
    await dataSource.query('INSERT INTO blocks (blocker_id, blocked_id, created_at) VALUES (1, 2, now())');
  });
});
