import type { DataSource, EntityManager } from 'typeorm';

/** The schema of the copies, until they replace the tables of the service. */
const COPY_SCHEMA = 'read_model_copies';

/** Deletes all copies, also those of a killed process: erasures do not reach the personal data in them. */
export const dropTableCopies = async (connection: Pick<EntityManager, 'query'>): Promise<void> => {
  await connection.query(`DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE`);
};

/**
 * Finds those of the tables $1 that cannot be replaced, because a copy would lack a part of them or the exchange would
 * break what refers to them.
 */
const UNSUPPORTED_TABLES_SQL = `
SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.oid = ANY($1::text[]::regclass[]) AND (
  c.relkind <> 'r' OR c.relpersistence <> 'p' -- not an ordinary, permanent table
  OR c.relrowsecurity
  OR c.relispartition OR EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
  -- A foreign key of the table or to it.
  OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND c.oid IN (conrelid, confrelid))
  OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal)
  OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> ''))`;

/**
 * Builds the statements that create the indexes of the table $1 on its copy, and the constraints that have an index.
 * All keep their names, because the service recognises violations of unique constraints by name. The name of the table,
 * which follows ON in the definition of an index, is replaced with that of the copy.
 */
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

/** Builds the statements that give the copy of the table $1 its settings. */
const SETTINGS_SQL = `
-- Statistics targets of columns. A target of 0 keeps personal data out of pg_statistic.
SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I SET STATISTICS %s', '${COPY_SCHEMA}', c.relname, a.attname,
  a.attstattarget) AS sql
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.oid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget >= 0
UNION ALL
-- Options of columns.
SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I SET (%s)', '${COPY_SCHEMA}', c.relname, a.attname,
  array_to_string(a.attoptions, ', '))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.oid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attoptions IS NOT NULL
UNION ALL
-- Statistics targets of index columns.
SELECT format('ALTER INDEX %I.%I ALTER COLUMN %s SET STATISTICS %s', '${COPY_SCHEMA}', ic.relname, a.attnum,
  a.attstattarget)
FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = ic.oid
WHERE i.indrelid = $1::regclass AND a.attstattarget >= 0
UNION ALL
-- Storage parameters of the table, and of its TOAST table, which stores large values.
SELECT format('ALTER TABLE %I.%I SET (%s)', '${COPY_SCHEMA}', c.relname, array_to_string(c.reloptions, ', '))
FROM pg_class c WHERE c.oid = $1::regclass AND c.reloptions IS NOT NULL
UNION ALL
SELECT format('ALTER TABLE %I.%I SET (toast.%s)', '${COPY_SCHEMA}', c.relname, array_to_string(t.reloptions, ', toast.'))
FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.oid = $1::regclass AND t.reloptions IS NOT NULL`;

// `aclexplode`, below, returns a row for each privilege. Its grantee 0 stands for PUBLIC.
const GRANTEE = `CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END`;
const GRANTEE_WITH_OPTION = `${GRANTEE} || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END`;

/**
 * Builds the statements that give the copy of the table $1 its owner, and the privileges on it and on its columns. They
 * run in the order of `step`.
 */
const PRIVILEGES_SQL = `
SELECT 1 AS step, format('ALTER TABLE %I.%I OWNER TO %s', '${COPY_SCHEMA}', c.relname, c.relowner::regrole) AS sql
FROM pg_class c WHERE c.oid = $1::regclass AND c.relowner <> current_user::regrole
UNION ALL
-- Removes what the default privileges of the role have granted on the copy, before the privileges are granted.
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

/** Finds the sequences that belong to columns of the tables $1. DROP TABLE deletes such sequences, too. */
const OWNED_SEQUENCES_SQL = `
SELECT d.objid::regclass::text AS sequence, format('%I.%I', c.relname, a.attname) AS column
FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'
  AND c.oid = ANY($1::text[]::regclass[])`;

/**
 * Copies of tables, with the same columns, constraints, indexes, privileges and settings. They are empty at first. When
 * the caller has filled them, they can replace the tables. Statements with unqualified names refer to the tables, or to
 * the copies after `useCopies` (docs/decisions/0075).
 */
export class TableCopyRepository {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly tables: readonly string[],
    /** The schema of the tables of the service. */
    private readonly schema: string,
  ) {}

  /**
   * Creates empty copies, and deletes any earlier ones.
   * @param tables names without a schema.
   * @throws Error when a table has a part that cannot be copied, such as a trigger or a foreign key.
   */
  static async create(dataSource: DataSource, tables: readonly string[]): Promise<TableCopyRepository> {
    return dataSource.transaction(async (manager) => {
      const unsupported = await manager.query<{ name: string }[]>(UNSUPPORTED_TABLES_SQL, [tables]);
      if (unsupported.length > 0) {
        const names = unsupported.map(({ name }) => name).join(', ');
        throw new Error(`These tables have parts that cannot be copied: ${names}`);
      }
      const [current] = await manager.query<{ schema: string }[]>(
        'SELECT quote_ident(current_schema()) AS schema',
      );
      // Only for the compiler: the query always returns one row.
      if (!current) throw new Error('A query returned no row');
      await dropTableCopies(manager);
      await manager.query(`CREATE SCHEMA ${COPY_SCHEMA}`);
      for (const table of tables) await copyTable(table, current.schema, manager);
      return new TableCopyRepository(dataSource, tables, current.schema);
    });
  }

  /** Makes the names of the tables refer to the copies, until the end of the transaction. */
  async useCopies(manager: EntityManager): Promise<void> {
    await manager.query(`SET LOCAL search_path = ${COPY_SCHEMA}, ${this.schema}`);
  }

  /** Collects the statistics of the copies, so that even the first query is planned with them. */
  async analyze(): Promise<void> {
    for (const table of this.tables) {
      await this.dataSource.transaction(async (manager) => {
        await manager.query('SET LOCAL statement_timeout = 0'); // a large table takes longer than the default allows
        await manager.query(`ANALYZE ${COPY_SCHEMA}.${table}`);
      });
    }
  }

  /** Waits for the transactions that use the tables. New ones wait until the transaction of `manager` ends. */
  async lockTables(manager: EntityManager): Promise<void> {
    if (this.tables.length === 0) return;
    const names = this.tables.map((table) => `${this.schema}.${table}`);
    await manager.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  }

  /** Replaces the tables with their copies, in a transaction in which `lockTables` was called. */
  async exchange(manager: EntityManager): Promise<void> {
    if (this.tables.length === 0) return;
    // Ends the effect of `useCopies`: the names below refer to the tables.
    await manager.query(`SET LOCAL search_path = ${this.schema}`);
    const sequences = await manager.query<{ sequence: string; column: string }[]>(OWNED_SEQUENCES_SQL, [
      this.tables,
    ]);
    await runAll(
      [
        // Detaches the sequences, so that DROP TABLE keeps them.
        ...sequences.map(({ sequence }) => `ALTER SEQUENCE ${sequence} OWNED BY NONE`),
        `DROP TABLE ${this.tables.join(', ')}`,
        ...this.tables.map((table) => `ALTER TABLE ${COPY_SCHEMA}.${table} SET SCHEMA ${this.schema}`),
        ...sequences.map(({ sequence, column }) => `ALTER SEQUENCE ${sequence} OWNED BY ${column}`),
        `DROP SCHEMA ${COPY_SCHEMA}`,
      ],
      manager,
    );
  }

  /** Deletes the copies. */
  async drop(): Promise<void> {
    await dropTableCopies(this.dataSource);
  }
}

const copyTable = async (table: string, schema: string, manager: EntityManager): Promise<void> => {
  // `LIKE` would give the indexes new names, so INDEXES_SQL creates them.
  await manager.query(
    `CREATE TABLE ${COPY_SCHEMA}.${table} (LIKE ${schema}.${table} INCLUDING ALL EXCLUDING INDEXES)`,
  );
  for (const query of [INDEXES_SQL, SETTINGS_SQL, PRIVILEGES_SQL]) {
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
