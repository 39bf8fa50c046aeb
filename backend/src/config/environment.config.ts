import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { limits } from '@thaw/contract/limits';
import * as z from 'zod/mini';

const port = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65_535));
const count = (minimum = 0) => z.coerce.number().check(z.int(), z.minimum(minimum));
const list = z.pipe(
  z.string(),
  z.transform((text: string) => text.split(',').flatMap((entry) => entry.trim() || [])),
);
const onOff = z.pipe(
  z.enum(['on', 'off']),
  z.transform((text) => text === 'on'),
);

/** Every setting that a Thaw process reads. Secrets may also be given as `<NAME>_FILE`. */
const schema = z.object({
  /** PostgreSQL, `postgres://user:password@host:port/database`. */
  DATABASE_URL: z.url(),
  /** The same database under the role that owns it, for migrations; DATABASE_URL's role unless given. */
  MIGRATE_DATABASE_URL: z.optional(z.url()),
  /** Connections a process may hold to PostgreSQL. */
  DATABASE_POOL_SIZE: z._default(count(1), 10),
  /** Redis 7 or later, `redis://:password@host:port`. */
  REDIS_URL: z.url(),
  /** Public port: page, API and socket. */
  PORT: z._default(port, 3000),
  HOST: z.optional(z.string()),
  /** Health and metrics; never reachable from outside. */
  INTERNAL_PORT: z._default(port, 9464),
  /** The address that the internal port listens on: that of HOST unless given. */
  INTERNAL_HOST: z.optional(z.string()),
  /** Folder of the built page, when this process serves it itself. */
  PUBLIC_DIR: z.optional(z.string()),
  /** Signs the session cookie; several, separated by commas, rotate: the first signs, all verify. */
  SESSION_SECRET: z.optional(z.string()),
  /** How tight the rate limits are. */
  LIMITS_PROFILE: z._default(z.enum(['strict', 'default', 'load']), 'default'),
  /** Proxies in front that may be believed about the client's address. */
  TRUST_PROXY: z._default(count(), 0),
  /** The page's own origin where it differs from the request's host; `https://…` makes cookies Secure. */
  PUBLIC_ORIGIN: z.optional(z.url()),
  /** Further origins, separated by commas. */
  ALLOWED_ORIGINS: z._default(list, []),
  /** Name of this process among its replicas; unique while it lives. */
  REPLICA_ID: z.optional(z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  /** Where images are kept: an S3-compatible storage, `http(s)://host:port`; without one, a folder. */
  S3_ENDPOINT: z.optional(z.url()),
  S3_REGION: z._default(z.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: z.optional(z.string()),
  S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  /** Put before the name of every bucket; with it and without an endpoint, images are kept in S3 of AWS. */
  S3_BUCKET_PREFIX: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,40}$/))),
  /** The folder; all replicas of a machine share it. */
  STORAGE_DIR: z._default(z.string(), '.thaw/files'),
  /** OpenAPI at /api/docs. */
  API_DOCS: z._default(onOff, true),
  LOG_LEVEL: z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  /** Decision A41, seconds. */
  REMATCH_COOLDOWN_S: z._default(count(), 600),
  REMATCH_RELAX_AFTER_S: z._default(count(), 10),
  /** Decision A51, milliseconds. */
  GRACE_AFTER_CLEAN_CLOSE_MS: z._default(count(), limits.graceAfterCleanCloseMs),
  GRACE_AFTER_LOSS_MS: z._default(count(), limits.graceAfterLossMs),
});

export type Environment = Omit<z.output<typeof schema>, 'REPLICA_ID'> & {
  /** Given name and a random part: a restarted process is another replica. */
  replicaId: string;
};

export const ENVIRONMENT = Symbol('ENVIRONMENT');

const secretNames = [
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'REDIS_URL',
  'SESSION_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const;

const withSecretFiles = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const result = { ...variables };
  for (const name of secretNames) {
    const file = variables[`${name}_FILE`];
    if (!result[name] && file) result[name] = readFileSync(file, 'utf8').trim();
  }
  return result;
};

/**
 * The settings of this process, parsed once at start.
 * @throws Error that names every missing or malformed variable, never a value.
 */
export const loadEnvironment = (variables: NodeJS.ProcessEnv): Environment => {
  const given = Object.entries(withSecretFiles(variables)).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
    throw new Error(`Missing or malformed settings: ${names.join(', ')}`);
  }
  const { REPLICA_ID, ...environment } = parsed.data;
  return { ...environment, replicaId: `${REPLICA_ID ?? hostname()}.${randomBytes(4).toString('hex')}` };
};
