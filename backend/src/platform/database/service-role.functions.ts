import type { DataSource } from 'typeorm';

/** Tables whose rows the service may neither change nor delete, so that no bug or intruder can rewrite history. */
const APPEND_ONLY = ['events'];
/** Tables that only migrations write. */
const READ_ONLY = ['migrations'];

const readRole = (url: string): string => decodeURIComponent(new URL(url).username);

/**
 * Makes the migrating role the owner of everything and grants the service's role only what it needs at run time:
 * no schema changes, and neither UPDATE nor DELETE on the event log. Objects that the service's role owns, as in a
 * database of an earlier release, are reassigned in the same transaction; the service may keep running.
 * @param owner connected as the migrating role: a superuser, or (for REASSIGN OWNED) a member of the service's role.
 * @param serviceUrl DATABASE_URL of the service; if it names the migrating role, nothing is changed.
 */
export const grantToService = async (owner: DataSource, serviceUrl: string): Promise<void> => {
  const serviceRole = readRole(serviceUrl);
  const [current] = await owner.query<{ name: string }[]>('SELECT current_user AS name');
  if (!current || current.name === serviceRole) return;
  const quote = (name: string): string => owner.driver.escape(name);
  const quoteAll = (tables: readonly string[]): string => tables.map(quote).join(', ');
  const role = quote(serviceRole);
  await owner.transaction(async (manager) => {
    const [{ database } = { database: '' }] = await manager.query<{ database: string }[]>(
      'SELECT current_database() AS database',
    );
    const partitions = await manager.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r'
         AND relnamespace = 'public'::regnamespace`,
    );
    for (const statement of [
      `REASSIGN OWNED BY ${role} TO CURRENT_USER`,
      `GRANT CONNECT ON DATABASE ${quote(database)} TO ${role}`,
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${role}`,
      `GRANT USAGE ON SCHEMA public TO ${role}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      `REVOKE UPDATE, DELETE, TRUNCATE ON ${quoteAll(APPEND_ONLY)} FROM ${role}`,
      `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${quoteAll(READ_ONLY)} FROM ${role}`,
      // The service reads and writes partitions through the partitioned table, on which it has the privileges.
      `REVOKE ALL ON ${quoteAll(partitions.map(({ name }) => name))} FROM ${role}`,
      `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    ]) {
      await manager.query(statement);
    }
  });
};
