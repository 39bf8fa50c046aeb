import process from 'node:process';
import { privateFolder, secret, secretFile } from './places.mjs';

const LOOPBACK = '127.0.0.1';

/** What migrations are told beside that: the role that owns what they make, where the service has another one. */
export const migrationSettings = ({ databaseUrl, serviceDatabaseUrl }) =>
  serviceDatabaseUrl ? { MIGRATE_DATABASE_URL: databaseUrl } : {};

/**
 * What a process of the product is told: our defaults, over them what the launcher itself was given, over that the
 * stores, and last the settings of this one process.
 * @param {{home: string, stores: {databaseUrl: string, serviceDatabaseUrl?: string, redisUrl: string}, given?: Record<string, string>,
 *   settings?: Record<string, string | number>}} options
 * @returns {Record<string, string>}
 */
export function productEnvironment({ home, stores, given = {}, settings = {} }) {
  secret(home, 'session-secret', 48);
  const all = {
    LIMITS_PROFILE: 'load',
    SESSION_SECRET_FILE: secretFile(home, 'session-secret'),
    STORAGE_DIR: privateFolder(home, 'files'),
    ...process.env,
    // What is started is the product, also from within a test.
    NODE_ENV: 'production',
    ...given,
    // This machine alone reaches the page and the internal ports, unless another address is given.
    HOST: given.HOST || process.env.HOST || LOOPBACK,
    INTERNAL_HOST: given.INTERNAL_HOST || process.env.INTERNAL_HOST || LOOPBACK,
    DATABASE_URL: stores.serviceDatabaseUrl ?? stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    ...settings,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
