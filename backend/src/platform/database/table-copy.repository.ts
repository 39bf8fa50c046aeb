import type { DataSource, EntityManager } from 'typeorm';

/** The schema in which tables are built that replace those of the service. */
const COPY_SCHEMA = 'read_model_copies';

/** Deletes copies that a killed process has left. They may have personal data, which erasures do not reach there. */
export const dropTableCopies = async (connection: Pick<EntityManager, 'query'>): Promise<void> => {
  await connection.query(`DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE`);
};

/**
 * $1 tables, as `regclass[]`. Tables with any of these are refused, because a copy would miss it or the exchange would
 * break what refers to them.
 */
const UNSUPPORTED_SQL = `
SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.oid = ANY($1::text[]::regclass[]) AND (
  c.relkind <> 'r' OR c.relpersistence <> 'p' OR c.relispartition OR c.relrowsecurity
  OR EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
  OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND c.oid IN (conrelid, confrelid))
  OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal)
  OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> ''))`;

/** $1 table. Indexes keep their names, which the service knows from violations of unique constraints. */
const INDEXES_SQL = `
SELECT CASE WHEN con.oid IS NULL
  THEN replace(pg_get_indexdef(i.indexrelid), format(' ON %I.%I USING ', n.nspname, c.relname),
    format(' ON %I.%I USING ', '${COPY_SCHEMA}', c.relname))
  ELSE format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', '${COPY_SCHEMA}', c.relname, con.conname,
    pg_get_constraintdef(con.oid)) END AS sql
FROM pg_index i
JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_constraint con ON con.conindid = i.indexrelid AND con.conrelid = i.indrelid AND con.contype IN ('p', 'u', 'x')
WHERE i.indrelid = $1::regclass ORDER BY i.indexrelid`;

/** $1 table. How much ANALYZE samples of columns, also of those of indexes (docs/decisions/0075). */
const STATISTICS_SQL = `
SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I SET STATISTICS %s', '${COPY_SCHEMA}', c.relname, a.attname,
  a.attstattarget) AS sql
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.oid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget >= 0
UNION ALL
SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I SET (%s)', '${COPY_SCHEMA}', c.relname, a.attname,
  array_to_string(a.attoptions, ', '))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.oid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attoptions IS NOT NULL
UNION ALL
SELECT format('ALTER INDEX %I.%I ALTER COLUMN %s SET STATISTICS %s', '${COPY_SCHEMA}', ic.relname, a.attnum,
  a.attstattarget)
FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = ic.oid
WHERE i.indrelid = $1::regclass AND a.attstattarget >= 0
UNION ALL
SELECT format('ALTER TABLE %I.%I SET (%s)', '${COPY_SCHEMA}', c.relname, array_to_string(c.reloptions, ', '))
FROM pg_class c WHERE c.oid = $1::regclass AND c.reloptions IS NOT NULL
UNION ALL
SELECT format('ALTER TABLE %I.%I SET (toast.%s)', '${COPY_SCHEMA}', c.relname, array_to_string(t.reloptions, ', toast.'))
FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.oid = $1::regclass AND t.reloptions IS NOT NULL`;

const GRANTEE = `CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END`;
const GRANTEE_WITH_OPTION = `${GRANTEE} || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END`;

/** $1 table. The owner, and every privilege on the table and on single columns. */
const PRIVILEGES_SQL = `
SELECT 1 AS step, format('ALTER TABLE %I.%I OWNER TO %s', '${COPY_SCHEMA}', c.relname, c.relowner::regrole) AS sql
FROM pg_class c WHERE c.oid = $1::regclass AND c.relowner <> current_user::regrole
UNION ALL
-- What the default privileges of the role have granted.
SELECT DISTINCT 2, format('REVOKE ALL ON %I.%I FROM %s', '${COPY_SCHEMA}', copy.relname, ${GRANTEE})
FROM pg_class c JOIN pg_class copy ON copy.relname = c.relname AND copy.relnamespace = '${COPY_SCHEMA}'::regnamespace
CROSS JOIN LATERAL aclexplode(copy.relacl) WHERE c.oid = $1::regclass AND grantee <> copy.relowner
UNION ALL
SELECT 3, format('GRANT %s ON %I.%I TO %s', privilege_type, '${COPY_SCHEMA}', c.relname, ${GRANTEE_WITH_OPTION})
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) WHERE c.oid = $1::regclass
UNION ALL
SELECT 3, format('GRANT %s (%I) ON %I.%I TO %s', privilege_type, a.attname, '${COPY_SCHEMA}', c.relname,
  ${GRANTEE_WITH_OPTION})
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
CROSS JOIN LATERAL aclexplode(a.attacl) WHERE c.oid = $1::regclass
ORDER BY step`;

/** $1 tables. Sequences that belong to a column, and would be deleted with its table. */
const OWNED_SEQUENCES_SQL = `
SELECT d.objid::regclass::text AS sequence, format('%I.%I', c.relname, a.attname) AS column
FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'
  AND c.oid = ANY($1::text[]::regclass[])`;

/**
 * Empty copies of tables, with the same columns, constraints, indexes, privileges and settings, which can replace them.
 * Tables are found by their unqualified names, so the same statements write the copies or the tables of the service.
 */
export class TableCopyRepository {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly tables: readonly string[],
    private readonly schema: string,
  ) {}

  /** @throws Error when a table has a part that cannot be copied, such as a trigger or a foreign key. */
  static async create(dataSource: DataSource, tables: readonly string[]): Promise<TableCopyRepository> {
    return dataSource.transaction(async (manager) => {
      const unsupported = await manager.query<{ name: string }[]>(UNSUPPORTED_SQL, [tables]);
      if (unsupported.length > 0) {
        const names = unsupported.map(({ name }) => name).join(', ');
        throw new Error(`These tables have parts that cannot be copied: ${names}`);
      }
      const [current] = await manager.query<{ schema: string }[]>(
        'SELECT quote_ident(current_schema()) AS schema',
      );
      if (!current) throw new Error('A query returned no row');
      await dropTableCopies(manager);
      await manager.query(`CREATE SCHEMA ${COPY_SCHEMA}`);
      for (const table of tables) await copyTable(table, current.schema, manager);
      return new TableCopyRepository(dataSource, tables, current.schema);
    });
  }

  /** Until the end of the transaction, the names of the tables refer to the copies. */
  async useCopies(manager: EntityManager): Promise<void> {
    await manager.query(`SET LOCAL search_path = ${COPY_SCHEMA}, ${this.schema}`);
  }

  /** Collects the statistics of the copies, so that queries have the right plans from the first one on. */
  async analyze(): Promise<void> {
    for (const table of this.tables) {
      await this.dataSource.transaction(async (manager) => {
        await manager.query('SET LOCAL statement_timeout = 0');
        await manager.query(`ANALYZE ${COPY_SCHEMA}.${table}`);
      });
    }
  }

  /**
   * Waits for the transactions that use the tables, and delays new ones until the end of the transaction of `manager`.
   */
  async lockTables(manager: EntityManager): Promise<void> {
    if (this.tables.length === 0) return;
    const names = this.tables.map((table) => `${this.schema}.${table}`);
    await manager.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  }

  /** Replaces the tables by their copies, in a transaction that has locked the tables. */
  async exchange(manager: EntityManager): Promise<void> {
    if (this.tables.length === 0) return;
    await manager.query(`SET LOCAL search_path = ${this.schema}`);
    const sequences = await manager.query<{ sequence: string; column: string }[]>(OWNED_SEQUENCES_SQL, [
      this.tables,
    ]);
    await runAll(
      [
        ...sequences.map(({ sequence }) => `ALTER SEQUENCE ${sequence} OWNED BY NONE`),
        `DROP TABLE ${this.tables.join(', ')}`,
        ...this.tables.map((table) => `ALTER TABLE ${COPY_SCHEMA}.${table} SET SCHEMA ${this.schema}`),
        ...sequences.map(({ sequence, column }) => `ALTER SEQUENCE ${sequence} OWNED BY ${column}`),
        `DROP SCHEMA ${COPY_SCHEMA}`,
      ],
      manager,
    );
  }

  async drop(): Promise<void> {
    await dropTableCopies(this.dataSource);
  }
}

const copyTable = async (table: string, schema: string, manager: EntityManager): Promise<void> => {
  await manager.query(
    `CREATE TABLE ${COPY_SCHEMA}.${table} (LIKE ${schema}.${table} INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY)`,
  );
  for (const query of [INDEXES_SQL, STATISTICS_SQL, PRIVILEGES_SQL]) {
    const statements = await manager.query<{ sql: string }[]>(query, [`${schema}.${table}`]);
    await runAll(
      statements.map(({ sql }) => sql),
      manager,
    );
  }
};

const runAll = async (statements: readonly string[], manager: EntityManager): Promise<void> => {
  for (const statement of statements) await manager.query(statement);
};
