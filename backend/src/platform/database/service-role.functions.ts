import type { DataSource } from 'typeorm';

/** Tables that the running service only adds to; a mistake or an intruder in it cannot rewrite history. */
const APPEND_ONLY = ['events'];
/** Tables that only migrations write. */
const READ_ONLY = ['migrations'];

const roleOf = (url: string): string => decodeURIComponent(new URL(url).username);

/**
 * Leaves everything in the database to the role that migrates and grants the service's role what it needs at run time:
 * no schema changes, and neither UPDATE nor DELETE on the event log. What the service's role owned before, as in a
 * database of an earlier release, changes hands in the same transaction, while the service runs.
 * @param owner connected as the role that migrates, which may act for the service's role (a superuser, or a member).
 * @param serviceUrl DATABASE_URL of the running service; nothing happens when it names the same role.
 */
export const grantToService = async (owner: DataSource, serviceUrl: string): Promise<void> => {
  const service = roleOf(serviceUrl);
  const [current] = await owner.query<{ name: string }[]>('SELECT current_user AS name');
  if (!current || current.name === service) return;
  const quoted = (name: string): string => owner.driver.escape(name);
  const names = (tables: readonly string[]): string => tables.map(quoted).join(', ');
  const role = quoted(service);
  await owner.transaction(async (manager) => {
    const [{ database } = { database: '' }] = await manager.query<{ database: string }[]>(
      'SELECT current_database() AS database',
    );
    for (const statement of [
      `REASSIGN OWNED BY ${role} TO CURRENT_USER`,
      `GRANT CONNECT ON DATABASE ${quoted(database)} TO ${role}`,
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${role}`,
      `GRANT USAGE ON SCHEMA public TO ${role}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      `REVOKE UPDATE, DELETE, TRUNCATE ON ${names(APPEND_ONLY)} FROM ${role}`,
      `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${names(READ_ONLY)} FROM ${role}`,
      `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    ]) {
      await manager.query(statement);
    }
  });
};
