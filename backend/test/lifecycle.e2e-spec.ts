// Runs api and migrate as processes, against real PostgreSQL and Redis.
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../src/testing/test-database.harness';
import { ThawProcess } from './thaw-process';
import { until, untilWithin } from '../src/testing/until.functions';

jest.setTimeout(60_000);

const processes: ThawProcess[] = [];
const run = (...given: ConstructorParameters<typeof ThawProcess>): ThawProcess => {
  const started = new ThawProcess(...given);
  processes.push(started);
  return started;
};
afterAll(() => Promise.all(processes.map((each) => each.kill())));

const redisUrl = process.env.REDIS_URL!;
const secret = 'a secret of a test that has 32 bytes or more';
const createSettings = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  SESSION_SECRET: secret,
  SAFETY_SECRET: secret,
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  LIMITS_PROFILE: 'load',
});

describe('main.migrate', () => {
  const name = `thaw_empty_${randomBytes(6).toString('hex')}`;
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  const executeOnServer = async (statement: string) => {
    const client = new Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  beforeAll(() => executeOnServer(`CREATE DATABASE ${name}`));
  afterAll(() => executeOnServer(`DROP DATABASE ${name} WITH (FORCE)`));

  it('migrates an empty database once when several processes start at the same time', async () => {
    const results = await Promise.all(
      [1, 2, 3].map(() => run('migrate', { DATABASE_URL: url.toString(), REDIS_URL: redisUrl }).ended),
    );
    for (const { code, stdout, stderr } of results) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^The schema is up to date[^\n]*\n$/);
    }
    expect(results.filter(({ stdout }) => stdout.includes('; ran '))).toHaveLength(1);
  });

  it('rebuilds the read models', async () => {
    const { code, stdout } = await run('migrate', createSettings(url.toString()), ['--rebuild']).ended;
    expect([code, stdout]).toEqual([0, 'The read models are rebuilt from 0 events.\n']);
  });

  it('leaves the read models as they are when a rebuild is killed, and rebuilds them the next time', async () => {
    const settings = createSettings(url.toString());
    const client = new Client({ connectionString: url.toString() });
    await client.connect();
    try {
      // A row without an event shows whether the table was replaced.
      await client.query(`INSERT INTO chat_history VALUES (1, 'chat-1', 1, 2, now(), now())`);
      const countRows = async (table: string) => (await client.query(`SELECT 1 FROM ${table}`)).rows.length;
      const isTrue = async (query: string) => (await client.query(query)).rows.length > 0;
      const hasCopies = `SELECT 1 FROM pg_namespace WHERE nspname = 'read_model_copies'`;
      // As an append that has not ended: the rebuild waits for it.
      await client.query('BEGIN');
      await client.query('LOCK TABLE events IN ROW EXCLUSIVE MODE');
      const killed = run('migrate', settings, ['--rebuild']);
      await until(() => isTrue(hasCopies));
      await killed.kill();
      await client.query('COMMIT');
      expect(await countRows('chat_history')).toBe(1);
      await until(() =>
        isTrue(`SELECT WHERE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database()))`),
      );
      const { code, stdout } = await run('migrate', settings, ['--rebuild']).ended;
      expect([code, stdout]).toEqual([0, 'The read models are rebuilt from 0 events.\n']);
      expect([await countRows('chat_history'), await isTrue(hasCopies)]).toEqual([0, false]);
    } finally {
      await client.end();
    }
  });

  it('reports a failure in one line, without the password', async () => {
    const DATABASE_URL = 'postgres://thaw:hunter2@127.0.0.1:1/thaw';
    const { code, stdout, stderr } = await run('migrate', { DATABASE_URL, REDIS_URL: redisUrl }).ended;
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

  it('answer on one line, with an exit code that says whether the command was refused or misused', async () => {
    const settings = createSettings(database.url);
    const results = await Promise.all(
      [['list'], ['add', 'ada@example.org'], ['appoint']]
        .map((args) => run('moderators', settings, args).ended)
        .concat(run('passwords', settings, ['reset', 'ada@example.org']).ended),
    );
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

  it('keeps more than a thousand connections waiting while it is busy, without refusing or dropping any', async () => {
    const api = run('api', createSettings(database.url));
    const { port } = await api.waitUntilServing();
    api.sendSignal('SIGSTOP');
    let connected = 0;
    const sockets = Array.from({ length: 1_200 }, () =>
      connect(port, '127.0.0.1', () => (connected += 1)).on('error', () => undefined),
    );
    try {
      await until(
        () => connected,
        (count) => count === sockets.length,
      );
    } finally {
      for (const socket of sockets) socket.destroy();
      api.sendSignal('SIGCONT');
      await api.kill();
    }
  });

  it.each([
    ['without an address of the database', 'DATABASE_URL', ''],
    ['with a word as port', 'PORT', 'hunter2'],
    ['without a secret of sessions', 'SESSION_SECRET', ''],
    ['with a short secret of sessions', 'SESSION_SECRET', 'hunter2'],
    ['with a short secret of safety', 'SAFETY_SECRET', 'hunter2'],
  ])('refuses to start %s and names the setting', async (_reason, name, value) => {
    const { code, stdout, stderr } = await run('api', { ...createSettings(database.url), [name]: value })
      .ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot start: [^\n]+\n$/);
    expect(stderr).toContain(name);
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it('reports in one line that its port is in use', async () => {
    const first = run('api', createSettings(database.url));
    const { port } = await first.waitUntilServing();
    const { code, stderr } = await run('api', { ...createSettings(database.url), PORT: String(port) }).ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Cannot start: [^\n]*EADDRINUSE[^\n]*\n$/)]);
    await first.kill();
  });

  describe('on SIGTERM', () => {
    const agent = new Agent({ keepAlive: true });
    afterAll(() => agent.destroy());

    /** Resolves with the status and the Connection header, or with the error of the connection. */
    const call = (port: number, method: string, path: string, body?: object, onConnected = () => {}) =>
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
      const api = run('api', createSettings(database.url));
      const { port, internalPort } = await api.waitUntilServing();
      const readHealth = async () => (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).status;
      expect(await readHealth()).toBe(200);

      // Passwords are hashed two at a time, so most of these requests wait in the process when the signal arrives.
      let connected = 0;
      const slow = Array.from({ length: 12 }, () => {
        const body = { email: `drain-${randomUUID()}@example.org`, password: 'secret' };
        return call(port, 'POST', '/api/register', body, () => (connected += 1));
      });
      await until(() => connected === slow.length);
      api.sendSignal('SIGTERM');
      await until(readHealth, (status) => status === 503);

      const responses = await Promise.all(slow);
      expect(responses.map(({ status }) => status)).toEqual(Array(slow.length).fill(201));
      expect(responses.at(-1)?.connection).toBe('close');

      const { code } = await api.ended;
      expect(code).toBe(0);
      expect(api.log.at(-1)).toMatchObject({ message: 'Stopped' });
      expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
      expect(await call(port, 'GET', '/api/nothing')).toMatchObject({ error: 'ECONNREFUSED' });
    });

    it('fails no request of a client that retries elsewhere when a connection is refused', async () => {
      const replicas = [run('api', createSettings(database.url)), run('api', createSettings(database.url))];
      const ports = (await Promise.all(replicas.map((each) => each.waitUntilServing()))).map(
        ({ port }) => port,
      );
      let isDone = false;
      const counts: Record<string, number> = {};
      const callUntilStopped = async (start: number) => {
        for (let turn = start; !isDone; turn += 1) {
          let response = await call(ports[turn % 2]!, 'POST', '/api/logout');
          // Like a proxy: retries on the other replica only when the connection was refused.
          if (response.error === 'ECONNREFUSED')
            response = await call(ports[(turn + 1) % 2]!, 'POST', '/api/logout');
          const outcome = String(response.status ?? response.error);
          counts[outcome] = (counts[outcome] ?? 0) + 1;
        }
      };
      const callers = [0, 1, 2, 3, 4, 5].map(callUntilStopped);
      const countAnswered = () => counts['204'] ?? 0;
      const waitForFurtherAnswers = async () => {
        const before = countAnswered();
        await untilWithin(30_000, () => countAnswered() >= before + 50);
      };
      await waitForFurtherAnswers();
      replicas[0]!.sendSignal('SIGTERM');
      await replicas[0]!.ended;
      await waitForFurtherAnswers();
      isDone = true;
      await Promise.all(callers);
      expect(Object.keys(counts)).toEqual(['204']);
    });
  });
});
