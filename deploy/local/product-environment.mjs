import process from 'node:process';
import { ensurePrivateFolder, readOrCreateSecret, readOrCreateSigningKey, getSecretPath } from './paths.mjs';

const LOOPBACK = '127.0.0.1';
const SECRET_BYTES = 48;

/**
 * Returns the settings that only the migrations get. If the service connects with a role of its own
 * (`serviceDatabaseUrl`), the migrations need the address with the role that owns the tables (`databaseUrl`).
 */
export const createMigrationSettings = ({ databaseUrl, serviceDatabaseUrl }) =>
  serviceDatabaseUrl ? { MIGRATE_DATABASE_URL: databaseUrl } : {};

/**
 * Builds the environment variables of a process of the product, and creates the secrets and the folder for files if
 * they are missing. Later sources override earlier ones: the launcher's defaults, the launcher's environment,
 * `stackSettings` (for all processes of the stack), the addresses of the stores, `settings` (for this process).
 * @param {{home: string, stores: {databaseUrl: string, serviceDatabaseUrl?: string, redisUrl: string},
 *   stackSettings?: Record<string, string>, settings?: Record<string, string | number>}} options
 * @returns {Record<string, string>}
 */
export function prepareProductEnvironment({ home, stores, stackSettings = {}, settings = {} }) {
  readOrCreateSecret(home, 'session-secret', SECRET_BYTES);
  readOrCreateSecret(home, 'safety-secret', SECRET_BYTES);
  readOrCreateSigningKey(home, 'receipt-key.pem');
  const variables = {
    // A local stack has the wide rate limits for load tests by default.
    LIMITS_PROFILE: 'load',
    SESSION_SECRET_FILE: getSecretPath(home, 'session-secret'),
    SAFETY_SECRET_FILE: getSecretPath(home, 'safety-secret'),
    RECEIPT_KEY_FILE: getSecretPath(home, 'receipt-key.pem'),
    STORAGE_DIR: ensurePrivateFolder(home, 'files'),
    ...process.env,
    // Overrides the NODE_ENV=test of a test runner, because these are processes of the product.
    NODE_ENV: 'production',
    ...stackSettings,
    // The page and the internal ports listen on loopback only, unless another address is set. An empty value counts as
    // not set.
    HOST: stackSettings.HOST || process.env.HOST || LOOPBACK,
    INTERNAL_HOST: stackSettings.INTERNAL_HOST || process.env.INTERNAL_HOST || LOOPBACK,
    DATABASE_URL: stores.serviceDatabaseUrl ?? stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    ...settings,
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}
