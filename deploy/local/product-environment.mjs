import process from 'node:process';
import { folder, secret, secretFile } from './places.mjs';

/**
 * What a process of the product is told: our defaults, over them what the launcher itself was given, over that the
 * stores, and last the settings of this one process.
 * @param {{home: string, stores: {databaseUrl: string, redisUrl: string}, given?: Record<string, string>,
 *   settings?: Record<string, string | number>}} options
 * @returns {Record<string, string>}
 */
export function productEnvironment({ home, stores, given = {}, settings = {} }) {
  secret(home, 'session-secret', 48);
  const all = {
    LIMITS_PROFILE: 'load',
    SESSION_SECRET_FILE: secretFile(home, 'session-secret'),
    STORAGE_DIR: folder(home, 'files'),
    ...process.env,
    // What is started is the product, also from within a test.
    NODE_ENV: 'production',
    ...given,
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    ...settings,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
