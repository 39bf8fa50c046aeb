import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { limits } from '@thaw/contract/limits';
import * as z from 'zod/mini';
import { parseRedisAddress } from './redis-address.parser';

const port = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65_535));
const count = (minimum = 0) => z.coerce.number().check(z.int(), z.minimum(minimum));
const DAY_S = 24 * 60 * 60;
const commaSeparated = z.pipe(
  z.string(),
  z.transform((text: string) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
);
const onOff = z.pipe(
  z.enum(['on', 'off']),
  z.transform((text) => text === 'on'),
);

/** A request with credentials in its address is refused by `fetch`. */
const hasNoCredentials = (address: string): boolean => {
  const { username, password } = new URL(address);
  return username === '' && password === '';
};
const serverUrl = z.optional(z.url({ protocol: /^https?$/ }).check(z.refine(hasNoCredentials)));

/** Every setting that a Thaw process reads. Secrets and S3_ENDPOINT may also be given as `<NAME>_FILE`. */
const settings = z.object({
  /** PostgreSQL, `postgres://user:password@host:port/database`. */
  DATABASE_URL: z.url(),
  /** `off` behind a transaction pooler that does not know prepared statements, such as PgBouncer before 1.21. */
  DATABASE_PREPARED_STATEMENTS: z._default(onOff, true),
  /**
   * The same database under the role that owns it, for migrations. Defaults to DATABASE_URL. Never through a
   * transaction pooler, because migrations hold a session-level advisory lock.
   */
  MIGRATE_DATABASE_URL: z.optional(z.url()),
  /**
   * A read replica of the database, for reads that may be some seconds out of date. It must be a
   * single server, because the lag is measured for one.
   */
  READ_DATABASE_URL: z.optional(z.url()),
  /** Maximum number of PostgreSQL connections per process. */
  DATABASE_POOL_SIZE: z._default(count(1), 10),
  /**
   * Redis 7 or later: `redis[s]://:password@host:port`, `redis[s]+cluster://user:password@host:port,host:port` or
   * `redis+sentinel://user:password@host:port,host:port/<name of the primary>`.
   */
  REDIS_URL: z.string().check(z.refine((url) => parseRedisAddress(url) !== undefined)),
  /** Password of the Sentinels, if they have one. */
  REDIS_SENTINEL_PASSWORD: z.optional(z.string()),
  /** Public port: page, API and socket. */
  PORT: z._default(port, 3000),
  HOST: z.optional(z.string()),
  /** Port for health checks and metrics; must not be reachable from outside. */
  INTERNAL_PORT: z._default(port, 9464),
  /** Address that the internal port listens on. Defaults to HOST. */
  INTERNAL_HOST: z.optional(z.string()),
  /** Folder of the built page, if this process serves it itself. */
  PUBLIC_DIR: z.optional(z.string()),
  /** Signs the session cookie. For rotation, give several secrets separated by commas: the first signs, all verify. */
  SESSION_SECRET: z.optional(z.string()),
  /** Signs the device cookie, and is the key of the hashes of banned users' e-mail addresses. So it is not rotated. */
  SAFETY_SECRET: z.optional(z.string()),
  /** Signs the receipt that users get when their data was erased: an Ed25519 key in PKCS#8, as PEM. */
  RECEIPT_KEY: z.optional(z.string()),
  /** Seconds of inactivity after which an anonymous user is erased. */
  ANONYMOUS_KEPT_S: z._default(count(1), 7 * DAY_S),
  /** Strictness of the rate limits; `load` allows load tests. */
  LIMITS_PROFILE: z._default(z.enum(['strict', 'default', 'load']), 'default'),
  /** Number of proxies in front whose X-Forwarded-For entries are trusted. */
  TRUST_PROXY: z._default(count(), 0),
  /** Origin of the page if it differs from the request's host; `https://…` makes cookies Secure. */
  PUBLIC_ORIGIN: z.optional(z.url()),
  /** Additional allowed origins, separated by commas. */
  ALLOWED_ORIGINS: z._default(commaSeparated, []),
  /** Name of this process, unique among the running replicas. */
  REPLICA_ID: z.optional(z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  /** S3-compatible storage for images, `http(s)://host:port`. Without it and S3_BUCKET_PREFIX, a folder is used. */
  S3_ENDPOINT: z.optional(z.url()),
  S3_REGION: z._default(z.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: z.optional(z.string()),
  S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  /** Prefix of every bucket name. If it is set and S3_ENDPOINT is not, images are stored in AWS S3. */
  S3_BUCKET_PREFIX: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,40}$/))),
  /** Folder for images, shared by all replicas of a machine. */
  STORAGE_DIR: z._default(z.string(), '.thaw/files'),
  /** Whether OpenAPI documentation is served at /api/docs. */
  API_DOCS: z._default(onOff, true),
  LOG_LEVEL: z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  /** Cool-down: seconds for which two users are not matched again. */
  REMATCH_COOLDOWN_S: z._default(count(), 600),
  /** Seconds of searching after which a user is also matched with partners in their cool-down. */
  REMATCH_RELAX_AFTER_S: z._default(count(), 10),
  /** Milliseconds for which a chat waits for a user whose last socket was closed cleanly. */
  GRACE_AFTER_CLEAN_CLOSE_MS: z._default(count(), limits.graceAfterCleanCloseMs),
  /** The same after any other end of the socket, such as a lost connection. */
  GRACE_AFTER_LOSS_MS: z._default(count(), limits.graceAfterLossMs),
  /** Automatic care: seconds in which distinct reporters of a user are counted. */
  CARE_WINDOW_S: z._default(count(1), DAY_S),
  /** Number of reporters from which on a user is matched only with other users who are reported that often. */
  CARE_FLAG_REPORTERS: z._default(count(1), 3),
  /** Number of reporters from which on a user is suspended. */
  CARE_SUSPEND_REPORTERS: z._default(count(1), 5),
  /** Seconds of an automatic suspension; a ban has to be confirmed within the same time. */
  CARE_REVIEW_S: z._default(count(1), 3 * DAY_S),
  /**
   * A second moderator confirms bans and answers appeals. If there is only one, seconds after which that moderator may
   * do it.
   */
  SOLO_REVIEW_AFTER_S: z._default(count(), DAY_S),
  /** Seconds in which a decision can be appealed. */
  APPEAL_WITHIN_S: z._default(count(1), limits.appealWithinMs / 1_000),
  /** Seconds after the end of a chat in which its partner can be reported. */
  REPORTABLE_AFTER_END_S: z._default(count(), limits.reportableAfterEndMs / 1_000),
  /**
   * Seconds for which the evidence of a dismissed report is kept, counted from the decision or the end of the chat,
   * whichever is later.
   */
  EVIDENCE_MIN_KEPT_S: z._default(count(), 3 * DAY_S),
  /** Seconds between two searches for expired personal data. */
  EXPIRE_EVERY_S: z._default(count(1), 600),
  /** Base address of an OpenAI-compatible API that suggests what to write. Without it, nothing is sent anywhere. */
  SUGGESTIONS_URL: serverUrl,
  /** Name of the model; required with SUGGESTIONS_URL. */
  SUGGESTIONS_MODEL: z.optional(z.string()),
  /** Sent to SUGGESTIONS_URL as a bearer token. */
  SUGGESTIONS_API_KEY: z.optional(z.string()),
  /** Milliseconds in which the model has to answer. */
  SUGGESTIONS_TIMEOUT_MS: z._default(count(1), 4_000),
  /** URL of a service that classifies uploaded images as explicit or not. Without it, images are not classified. */
  IMAGE_CLASSIFIER_URL: serverUrl,
});

const schema = settings.check(
  z.refine(({ SUGGESTIONS_URL, SUGGESTIONS_MODEL }) => !SUGGESTIONS_URL || SUGGESTIONS_MODEL !== undefined, {
    path: ['SUGGESTIONS_MODEL'],
  }),
);

export type Environment = Omit<z.output<typeof settings>, 'REPLICA_ID'> & {
  /** REPLICA_ID or the host name, with a random suffix: a restarted process counts as a new replica. */
  replicaId: string;
};

export const ENVIRONMENT = Symbol('ENVIRONMENT');

const secretNames = [
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'READ_DATABASE_URL',
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'SESSION_SECRET',
  'SAFETY_SECRET',
  'RECEIPT_KEY',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SUGGESTIONS_API_KEY',
] as const;

/** Adds the settings that are given as files, in `<NAME>_FILE`. A variable that is set directly takes precedence. */
const addSettingsFromFiles = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const result = { ...variables };
  // S3_ENDPOINT, too: compose writes it to a file if the storage of its own is used.
  for (const name of [...secretNames, 'S3_ENDPOINT']) {
    const file = variables[`${name}_FILE`];
    if (!result[name] && file) result[name] = readFileSync(file, 'utf8').trim();
  }
  return result;
};

/**
 * Parses the settings of this process; called once at start-up.
 * @throws Error listing the names, never the values, of missing or malformed variables.
 */
export const loadEnvironment = (variables: NodeJS.ProcessEnv): Environment => {
  const given = Object.entries(addSettingsFromFiles(variables)).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
    throw new Error(`Missing or malformed settings: ${names.join(', ')}`);
  }
  const { REPLICA_ID, ...environment } = parsed.data;
  return { ...environment, replicaId: `${REPLICA_ID ?? hostname()}.${randomBytes(4).toString('hex')}` };
};
