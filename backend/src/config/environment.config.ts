import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { limits } from '@thaw/contract/limits';
import * as z from 'zod/mini';
import { parseRedisAddress } from './redis-address.parser';

const port = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65_535));
const integer = (minimum = 0) => z.coerce.number().check(z.int(), z.minimum(minimum));
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

/** Checked because `fetch` refuses an address with credentials. */
const hasNoCredentials = (address: string): boolean => {
  const { username, password } = new URL(address);
  return username === '' && password === '';
};
const serverUrl = z.optional(z.url({ protocol: /^https?$/ }).check(z.refine(hasNoCredentials)));

/**
 * Every setting of a Thaw process: the environment variables that it reads. Secrets and S3_ENDPOINT may also be in
 * files whose paths are in `<NAME>_FILE`.
 */
const settings = z.object({
  /** Address of PostgreSQL: `postgres://user:password@host:port/database`. */
  DATABASE_URL: z.url(),
  /** Must be `off` behind a transaction pooler without prepared statements, such as PgBouncer before 1.21. */
  DATABASE_PREPARED_STATEMENTS: z._default(onOff, true),
  /**
   * Address of the same database with the role that owns it, for migrations. Defaults to DATABASE_URL. It must not lead
   * through a transaction pooler, because migrations hold a session-level advisory lock.
   */
  MIGRATE_DATABASE_URL: z.optional(z.url()),
  /**
   * Address of a read replica of the database, for reads that may be some seconds out of date. It must lead to a single
   * server, because its lag is measured.
   */
  READ_DATABASE_URL: z.optional(z.url()),
  /** Maximum number of PostgreSQL connections per process. */
  DATABASE_POOL_SIZE: z._default(integer(1), 10),
  /**
   * Address of Redis 7 or later: `redis[s]://:password@host:port`,
   * `redis[s]+cluster://user:password@host:port,host:port` or
   * `redis+sentinel://user:password@host:port,host:port/<name of the primary>`.
   */
  REDIS_URL: z.string().check(z.refine((url) => parseRedisAddress(url) !== undefined)),
  /** Password of the Sentinels, if they have one. */
  REDIS_SENTINEL_PASSWORD: z.optional(z.string()),
  /** Public port, which serves the page, the API and the sockets. */
  PORT: z._default(port, 3000),
  /** Address that the public port listens on. Defaults to all addresses. */
  HOST: z.optional(z.string()),
  /** Port for health checks and metrics. It must not be reachable from outside. */
  INTERNAL_PORT: z._default(port, 9464),
  /** Address that the internal port listens on. Defaults to HOST. */
  INTERNAL_HOST: z.optional(z.string()),
  /** Folder of the built page, if this process serves it itself. */
  PUBLIC_DIR: z.optional(z.string()),
  /**
   * Signs the session cookie; required by api replicas. For rotation, give several secrets separated by commas: the
   * first signs, all verify.
   */
  SESSION_SECRET: z.optional(z.string()),
  /**
   * Signs the device cookie, and is the key of the hashes by which banned users are recognised. It cannot be rotated,
   * because the stored hashes would no longer match. Required by api replicas.
   */
  SAFETY_SECRET: z.optional(z.string()),
  /**
   * Signs the receipt that users get when their data was erased: an Ed25519 key in PKCS#8, as PEM. Without it, no
   * account can be deleted.
   */
  RECEIPT_KEY: z.optional(z.string()),
  /** Seconds of inactivity after which an anonymous user is erased. */
  ANONYMOUS_KEPT_S: z._default(integer(1), 7 * DAY_S),
  /** Strictness of the rate limits. `load` is for load tests. */
  LIMITS_PROFILE: z._default(z.enum(['strict', 'default', 'load']), 'default'),
  /** Number of proxies in front of the service, whose entries in X-Forwarded-For are trusted. */
  TRUST_PROXY: z._default(integer(), 0),
  /** Origin of the page, if it differs from the host of the requests. `https://…` makes cookies Secure. */
  PUBLIC_ORIGIN: z.optional(z.url()),
  /** Additional allowed origins, separated by commas. */
  ALLOWED_ORIGINS: z._default(commaSeparated, []),
  /** Name of this process, unique among the running processes. Defaults to the host name. */
  REPLICA_ID: z.optional(z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  /**
   * Address of an S3-compatible storage for images: `http(s)://host:port`. If neither S3_ENDPOINT nor S3_BUCKET_PREFIX
   * is set, images are stored in STORAGE_DIR.
   */
  S3_ENDPOINT: z.optional(z.url()),
  S3_REGION: z._default(z.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: z.optional(z.string()),
  S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  /** Prefix of every bucket name. If it is set and S3_ENDPOINT is not, images are stored in AWS S3. */
  S3_BUCKET_PREFIX: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,40}$/))),
  /** Folder for images, shared by all processes of a machine. */
  STORAGE_DIR: z._default(z.string(), '.thaw/files'),
  /** Whether OpenAPI documentation is served at /api/docs. */
  API_DOCS: z._default(onOff, true),
  LOG_LEVEL: z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  /** Cool-down: seconds for which two users are not matched again. */
  REMATCH_COOLDOWN_S: z._default(integer(), 600),
  /** Seconds of searching after which a user is also matched with partners in their cool-down. */
  REMATCH_RELAX_AFTER_S: z._default(integer(), 10),
  /** Milliseconds for which a random chat waits for a user whose last socket was closed cleanly. */
  GRACE_AFTER_CLEAN_CLOSE_MS: z._default(integer(), limits.graceAfterCleanCloseMs),
  /** Milliseconds for which a random chat waits for a user whose last socket ended without a clean close. */
  GRACE_AFTER_LOSS_MS: z._default(integer(), limits.graceAfterLossMs),
  /**
   * The automatic reaction to reports, called care, counts the distinct reporters of a user within this number of
   * seconds.
   */
  CARE_WINDOW_S: z._default(integer(1), DAY_S),
  /** From this number of reporters on, a user is flagged: they are only matched with other flagged users. */
  CARE_FLAG_REPORTERS: z._default(integer(1), 3),
  /** From this number of reporters on, a user is suspended. */
  CARE_SUSPEND_REPORTERS: z._default(integer(1), 5),
  /**
   * Time for a moderator's review, in seconds. An automatic suspension lasts this long. A ban that no second moderator
   * confirms in this time becomes a suspension.
   */
  CARE_REVIEW_S: z._default(integer(1), 3 * DAY_S),
  /**
   * A second moderator confirms a ban and decides an appeal. If there is only one moderator, they may review their own
   * decision after this number of seconds.
   */
  SOLO_REVIEW_AFTER_S: z._default(integer(), DAY_S),
  /** Seconds within which a decision can be appealed. */
  APPEAL_WITHIN_S: z._default(integer(1), limits.appealWithinMs / 1_000),
  /** Seconds after the end of a random chat within which the partner can be reported. */
  REPORTABLE_AFTER_END_S: z._default(integer(), limits.reportableAfterEndMs / 1_000),
  /**
   * Minimum number of seconds for which the evidence of a dismissed report is kept, counted from the decision or the
   * end of the chat, whichever is later.
   */
  EVIDENCE_MIN_KEPT_S: z._default(integer(), 3 * DAY_S),
  /** Seconds between two searches for expired personal data. */
  EXPIRE_EVERY_S: z._default(integer(1), 600),
  /** Base address of an OpenAI-compatible API that suggests messages. Without it, no chat is sent to any model. */
  SUGGESTIONS_URL: serverUrl,
  /** Name of the model; required with SUGGESTIONS_URL. */
  SUGGESTIONS_MODEL: z.optional(z.string()),
  /** Key that is sent to SUGGESTIONS_URL as a bearer token. */
  SUGGESTIONS_API_KEY: z.optional(z.string()),
  /** Milliseconds within which the model has to respond. */
  SUGGESTIONS_TIMEOUT_MS: z._default(integer(1), 4_000),
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

/** Injection token of the `Environment`. */
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

/** Adds the settings that are in files (`<NAME>_FILE`). A variable that is set directly takes precedence. */
const addSettingsFromFiles = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const result = { ...variables };
  // S3_ENDPOINT is no secret, but docker-compose.yml passes it in a file, whose content depends on the profiles.
  for (const name of [...secretNames, 'S3_ENDPOINT']) {
    const file = variables[`${name}_FILE`];
    if (!result[name] && file) result[name] = readFileSync(file, 'utf8').trim();
  }
  return result;
};

/**
 * Parses the settings of this process. An empty variable counts as absent.
 * @throws Error that lists the names of missing or malformed variables, but never their values; errors of the file
 * system for unreadable files.
 */
export const loadEnvironment = (variables: NodeJS.ProcessEnv): Environment => {
  const nonEmpty = Object.entries(addSettingsFromFiles(variables)).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(nonEmpty));
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
    throw new Error(`Missing or malformed settings: ${names.join(', ')}`);
  }
  const { REPLICA_ID, ...environment } = parsed.data;
  return { ...environment, replicaId: `${REPLICA_ID ?? hostname()}.${randomBytes(4).toString('hex')}` };
};
