import { QueryFailedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { isStoreFailure, isTimeout, classifyWriteFault } from './store-failure.errors';

const createFailedQuery = (code: string) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('from the server'), { code }));

const unavailableStoreErrors: unknown[] = [
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  { message: 'read ECONNRESET', code: 'ECONNRESET' },
  Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('Query read timeout'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Command timed out'),
  new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  new Error('Reached the max retries per request limit (which is 1).'),
  new Error('Connection is closed.'),
  new Error("Cluster isn't ready and enableOfflineQueue options is false"),
  new Error('Too many Cluster redirections. Last error: ReplyError: MOVED 7 127.0.0.1:7000'),
  new Error('Failed to refresh slots cache.'),
  new Error('None of startup nodes is available'),
  createFailedQuery('57P01'), // the server shuts down
  createFailedQuery('57014'), // statement time-out
  createFailedQuery('53300'), // too many connections
  createFailedQuery('53100'), // disk full
  createFailedQuery('08006'), // connection failure
  createFailedQuery('55P03'), // lock time-out
  createFailedQuery('25006'), // read-only transaction
  createFailedQuery('25P03'), // idle in a transaction for too long
  createFailedQuery('40P01'), // deadlock
  createFailedQuery('58030'), // I/O error
  new Error('Query runner already released. Cannot run queries anymore.'),
  new QueryRunnerProviderAlreadyReleasedError(),
];

/** Pairs each error with its label in the title of a test: the SQLSTATE, or else the message. */
const addLabels = (errors: readonly unknown[]): [label: string, error: unknown][] =>
  errors.map((error) => {
    if (error instanceof QueryFailedError)
      return [`SQLSTATE ${(error.driverError as { code: string }).code}`, error];
    return [error instanceof Error ? error.message : JSON.stringify(error), error];
  });

describe('isStoreFailure', () => {
  it.each(addLabels(unavailableStoreErrors))('recognises an unavailable store: %s', (_label, error) => {
    expect(isStoreFailure(error)).toBe(true);
  });

  it.each([
    "OOM command not allowed when used memory > 'maxmemory'. script: 1d, on @user_script:1.",
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist on disk.',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    'NOREPLICAS Not enough good replicas to write.',
    'CLUSTERDOWN The cluster is down',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'MOVED 8766 127.0.0.1:26726',
    'ASK 8766 127.0.0.1:26726',
    'ERR Script attempted to access a non local key in a cluster node script: 1d, on @user_script:1.',
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  ])('recognises an error reply of Redis that means an unavailable store: %s', (message) => {
    expect(isStoreFailure(Object.assign(new Error(message), { name: 'ReplyError' }))).toBe(true);
  });

  it.each(
    addLabels([
      new Error('a bug'),
      new Error('BUSYGROUP Consumer Group name already exists'),
      new Error('WRONGTYPE Operation against a key holding the wrong kind of value'),
      createFailedQuery('23505'), // unique violation
      createFailedQuery('42P01'), // undefined table
      null,
      undefined,
      'ECONNREFUSED',
      {},
    ]),
  )('returns false for an error that does not mean an unavailable store: %s', (_label, error) => {
    expect(isStoreFailure(error)).toBe(false);
  });
});

describe('classifyWriteFault', () => {
  it.each(
    addLabels([
      ...unavailableStoreErrors,
      // `isStoreFailure` returns false for these. The cause is not in the rows: for instance, a migration is missing.
      createFailedQuery('42P01'), // undefined table
      createFailedQuery('42703'), // undefined column
      createFailedQuery('42501'), // insufficient privilege
      createFailedQuery('XX000'), // internal error
    ]),
  )('returns `store` for an error that does not depend on the written rows: %s', (_label, error) => {
    expect(classifyWriteFault(error)).toBe('store');
  });

  it.each([
    '22P05', // untranslatable character
    '22P02', // invalid text representation
    '22007', // invalid date or time
    '23502', // not-null violation
    '23505', // unique violation
    '23514', // check violation
  ])('returns `value` for SQLSTATE %s', (code) => {
    expect(classifyWriteFault(createFailedQuery(code))).toBe('value');
  });

  it.each(
    addLabels([
      new TypeError('x is undefined'),
      new Error('a bug'),
      createFailedQuery('21000'), // an upsert affects a row twice
      createFailedQuery('54000'), // a limit of PostgreSQL is exceeded
    ]),
  )('returns `code` when this build cannot write the rows, but another build may: %s', (_label, error) => {
    expect(classifyWriteFault(error)).toBe('code');
  });
});

describe('isTimeout', () => {
  it.each(
    addLabels([
      createFailedQuery('57014'), // statement time-out
      createFailedQuery('55P03'), // lock time-out
      new Error('Query read timeout'), // time-out of the client
    ]),
  )('recognises a time-out: %s', (_label, error) => {
    expect(isTimeout(error)).toBe(true);
  });

  it.each(
    addLabels([
      createFailedQuery('57P01'), // the server shuts down
      createFailedQuery('40P01'), // deadlock
      new Error('a bug'),
    ]),
  )('returns false for any other error: %s', (_label, error) => {
    expect(isTimeout(error)).toBe(false);
  });
});
