import process from 'node:process';
import { privateFolder, secret, secretFile } from './places.mjs';

const LOOPBACK = '127.0.0.1';

/** Settings that only migrations get: the owning role, when the service runs under a role of its own. */
export const migrationSettings = ({ databaseUrl, serviceDatabaseUrl }) =>
  serviceDatabaseUrl ? { MIGRATE_DATABASE_URL: databaseUrl } : {};

/**
 * The environment of a process of the product. Later sources override earlier ones: the launcher's defaults, the
 * launcher's own environment, `given`, the addresses of the stores, the settings of this one process.
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
    // A test runner sets NODE_ENV=test, but the processes are those of the product.
    NODE_ENV: 'production',
    ...given,
    // The page and the internal ports listen on loopback only, unless another address is given.
    HOST: given.HOST || process.env.HOST || LOOPBACK,
    INTERNAL_HOST: given.INTERNAL_HOST || process.env.INTERNAL_HOST || LOOPBACK,
    DATABASE_URL: stores.serviceDatabaseUrl ?? stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    ...settings,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
