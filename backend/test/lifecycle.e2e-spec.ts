// Runs api, migrate and the tools for operators as processes, with real PostgreSQL and Redis.
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.harness';
import { ThawProcess } from './thaw-process';
import { until, untilWithin } from '../src/testing/until.functions';

jest.setTimeout(60_000);

const processes: ThawProcess[] = [];
/** Starts a process that is killed after the tests if it still runs. */
const startProcess = (...parameters: ConstructorParameters<typeof ThawProcess>): ThawProcess => {
  const started = new ThawProcess(...parameters);
  processes.push(started);
  return started;
};
afterAll(() => Promise.all(processes.map((started) => started.kill())));

const redisUrl = process.env.REDIS_URL!;
const secret = 'a test secret of at least 32 bytes';
const createSettings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  SESSION_SECRET: secret,
  SAFETY_SECRET: secret,
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  LIMITS_PROFILE: 'load', // the tests send many requests from one address
});

/** Connects to PostgreSQL for the duration of `use`. */
const withClient = async (databaseUrl: string, use: (client: Client) => Promise<void>): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
};

// The first test migrates the empty database, which the next two tests use.
describe('main.migrate', () => {
  const databaseName = `thaw_empty_${randomBytes(6).toString('hex')}`;
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${databaseName}`;
  const executeOnServer = (statement: string) =>
    withClient(process.env.DATABASE_URL!, async (client) => void (await client.query(statement)));
  beforeAll(() => executeOnServer(`CREATE DATABASE ${databaseName}`));
  afterAll(() => executeOnServer(`DROP DATABASE ${databaseName} WITH (FORCE)`));

  it('migrates an empty database once when several processes start at the same time', async () => {
    const results = await Promise.all(
      [1, 2, 3].map(
        () => startProcess('migrate', { DATABASE_URL: url.toString(), REDIS_URL: redisUrl }).ended,
      ),
    );
    for (const { code, stdout, stderr } of results) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^The schema is up to date[^\n]*\n$/);
    }
    // After these words, a process names the migrations that it ran.
    const resultsWithMigrations = results.filter(({ stdout }) => stdout.includes('; ran '));
    expect(resultsWithMigrations).toHaveLength(1);
  });

  const startRebuild = () => startProcess('migrate', createSettings(url.toString()), ['--rebuild']);
  const expectRebuilt = async (): Promise<void> => {
    const { code, stdout } = await startRebuild().ended;
    expect([code, stdout]).toEqual([0, 'The read models are rebuilt from 0 events.\n']);
  };

  it('rebuilds the read models of the migrated database', async () => {
    await expectRebuilt();
  });

  it('leaves the read models as they are when a rebuild is killed, and rebuilds them the next time', async () => {
    await withClient(url.toString(), async (client) => {
      const returnsRows = async (query: string) => (await client.query(query)).rows.length > 0;
      const countChats = async () => (await client.query('SELECT 1 FROM chat_history')).rows.length;
      /** Whether there is a schema in which a rebuild creates the new read models before it replaces the old ones. */
      const hasCopies = () => returnsRows(`SELECT 1 FROM pg_namespace WHERE nspname = 'read_model_copies'`);
      /** Whether a process holds the lock of a rebuild. */
      const isRebuildLocked = () =>
        returnsRows(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database =
          (SELECT oid FROM pg_database WHERE datname = current_database())`);

      // A rebuild removes this row, because no event belongs to it.
      await client.query(`INSERT INTO chat_history VALUES (1, 'chat-1', 1, 2, now(), now())`);
      // Holds the lock of an append that has not ended. The rebuild is killed while it waits for this lock.
      await client.query('BEGIN');
      await client.query('LOCK TABLE events IN ROW EXCLUSIVE MODE');
      const killedRebuild = startRebuild();
      await until(hasCopies);
      await killedRebuild.kill();
      await client.query('COMMIT');
      expect(await countChats()).toBe(1);

      // PostgreSQL releases the lock of the killed process after a moment. Until then, it refuses another rebuild.
      await until(async () => !(await isRebuildLocked()));
      await expectRebuilt();
      expect(await countChats()).toBe(0);
      expect(await hasCopies()).toBe(false);
    });
  });

  it('reports a failure in one line, without the password', async () => {
    const DATABASE_URL = 'postgres://thaw:hunter2@127.0.0.1:1/thaw';
    const { code, stdout, stderr } = await startProcess('migrate', { DATABASE_URL, REDIS_URL: redisUrl })
      .ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Migration failed: [^\n]+\n$/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('main.moderators and main.passwords', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  it('respond with one line, and with an exit code that distinguishes success, a refusal and a misuse', async () => {
    const settings = createSettings(database.url);
    const results = await Promise.all([
      startProcess('moderators', settings, ['list']).ended,
      startProcess('moderators', settings, ['add', 'ada@example.org']).ended,
      startProcess('moderators', settings, ['appoint']).ended,
      startProcess('passwords', settings, ['reset', 'ada@example.org']).ended,
    ]);
    expect(results).toEqual([
      { code: 0, stdout: 'There are no moderators.\n', stderr: '' },
      { code: 1, stdout: '', stderr: 'No registered user has the address ada@example.org.\n' },
      { code: 2, stdout: '', stderr: expect.stringMatching(/^Usage: [^\n]+\n$/) },
      { code: 1, stdout: '', stderr: 'No registered user has the address ada@example.org.\n' },
    ]);
  });
});

describe('main.api', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  // By default, Node.js queues at most 511 connections.
  it('keeps 1,200 connections waiting while it is busy, without refusing any', async () => {
    const api = startProcess('api', createSettings(database.url));
    const { port } = await api.waitUntilServing();
    api.sendSignal('SIGSTOP'); // only the operating system accepts connections now
    let connectedCount = 0;
    const sockets = Array.from({ length: 1_200 }, () =>
      connect(port, '127.0.0.1', () => (connectedCount += 1)).on('error', () => undefined),
    );
    try {
      await until(
        () => connectedCount,
        (count) => count === sockets.length,
      );
    } finally {
      for (const socket of sockets) socket.destroy();
      api.sendSignal('SIGCONT');
      await api.kill();
    }
  });

  // The output must not contain the invalid value `hunter2`, because a setting may be a secret.
  it.each([
    ['without an address of the database', 'DATABASE_URL', ''],
    ['with a word as port', 'PORT', 'hunter2'],
    ['without a secret for sessions', 'SESSION_SECRET', ''],
    ['with a short secret for sessions', 'SESSION_SECRET', 'hunter2'],
    ['with a short secret for safety', 'SAFETY_SECRET', 'hunter2'],
  ])('refuses to start %s and names the setting', async (_reason, name, value) => {
    const { code, stdout, stderr } = await startProcess('api', {
      ...createSettings(database.url),
      [name]: value,
    }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot start: [^\n]+\n$/);
    expect(stderr).toContain(name);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it('reports in one line that its port is in use', async () => {
    const first = startProcess('api', createSettings(database.url));
    const { port } = await first.waitUntilServing();
    const { code, stderr } = await startProcess('api', {
      ...createSettings(database.url),
      PORT: String(port),
    }).ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Cannot start: [^\n]*EADDRINUSE[^\n]*\n$/)]);
    await first.kill();
  });

  describe('on SIGTERM', () => {
    const agent = new Agent({ keepAlive: true });
    afterAll(() => agent.destroy());

    interface Call {
      port: number;
      method: string;
      path: string;
      body?: object;
      /** Called once a new connection is open. Not called if the request uses an existing one. */
      onConnected?: () => void;
    }

    /** Sends a request. Resolves with the status and the Connection header, or with the code of a connection error. */
    const call = ({ port, method, path, body, onConnected = () => {} }: Call) =>
      new Promise<{ status?: number; connection?: string; error?: string }>((resolve) => {
        const text = body && JSON.stringify(body);
        const headers = text
          ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
          : {};
        const outgoing = httpRequest(
          { agent, host: '127.0.0.1', port, method, path, headers },
          (response) => {
            response.resume();
            response.on('end', () =>
              resolve({ status: response.statusCode, connection: response.headers.connection }),
            );
          },
        );
        outgoing.on('socket', (socket) => {
          if (socket.connecting) socket.once('connect', onConnected);
        });
        outgoing.on('error', (error: NodeJS.ErrnoException) => resolve({ error: error.code }));
        outgoing.end(text);
      });

    it('answers requests in flight, refuses new ones, and exits with 0', async () => {
      const api = startProcess('api', createSettings(database.url));
      const { port, internalPort } = await api.waitUntilServing();
      const readHealth = async () => (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).status;
      expect(await readHealth()).toBe(200);

      // Passwords are hashed two at a time, so most of these requests wait in the process when the signal arrives.
      let connectedCount = 0;
      const registrations = Array.from({ length: 12 }, () => {
        const body = { email: `drain-${randomUUID()}@example.org`, password: 'secret' };
        const onConnected = () => void (connectedCount += 1);
        return call({ port, method: 'POST', path: '/api/register', body, onConnected });
      });
      await until(() => connectedCount === registrations.length);
      api.sendSignal('SIGTERM');
      await until(readHealth, (status) => status === 503);

      const responses = await Promise.all(registrations);
      expect(responses.map(({ status }) => status)).toEqual(Array(registrations.length).fill(201));
      // The last registration was answered after the signal, so its response closes the connection.
      expect(responses.at(-1)?.connection).toBe('close');

      const { code } = await api.ended;
      expect(code).toBe(0);
      expect(api.log.at(-1)).toMatchObject({ message: 'Stopped' });
      expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
      expect(await call({ port, method: 'GET', path: '/api/nothing' })).toMatchObject({
        error: 'ECONNREFUSED',
      });
    });

    it('fails no request of a client that retries at another replica when a connection is refused', async () => {
      const [stoppedReplica, otherReplica] = [
        startProcess('api', createSettings(database.url)),
        startProcess('api', createSettings(database.url)),
      ];
      const { port: firstPort } = await stoppedReplica.waitUntilServing();
      const { port: secondPort } = await otherReplica.waitUntilServing();
      let isDone = false;
      /** Number of requests by status or by code of the connection error. */
      const counts: Record<string, number> = {};
      /** Calls a replica. Like a proxy, retries at the other one only if the connection was refused. */
      const callWithFailover = async (port: number, otherPort: number) => {
        const request = { method: 'POST', path: '/api/logout' };
        const response = await call({ ...request, port });
        return response.error === 'ECONNREFUSED' ? call({ ...request, port: otherPort }) : response;
      };
      /** Calls the two replicas in turn. */
      const callUntilDone = async (beginsWithFirst: boolean) => {
        for (let isFirstNext = beginsWithFirst; !isDone; isFirstNext = !isFirstNext) {
          const response = isFirstNext
            ? await callWithFailover(firstPort, secondPort)
            : await callWithFailover(secondPort, firstPort);
          const outcome = String(response.status ?? response.error);
          counts[outcome] = (counts[outcome] ?? 0) + 1;
        }
      };
      const callers = [true, true, true, false, false, false].map(callUntilDone);
      const countSuccesses = () => counts['204'] ?? 0;
      const waitFor50MoreSuccesses = async () => {
        const before = countSuccesses();
        await untilWithin(30_000, () => countSuccesses() >= before + 50);
      };
      await waitFor50MoreSuccesses();
      stoppedReplica.sendSignal('SIGTERM');
      await stoppedReplica.ended;
      await waitFor50MoreSuccesses();
      isDone = true;
      await Promise.all(callers);
      expect(Object.keys(counts)).toEqual(['204']);
    });
  });
});
