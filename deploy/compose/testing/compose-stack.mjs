import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
/** Port of a replica for metrics and health checks; it is not published. */
const INTERNAL_PORT = 9464;

/** Explains why `docker compose` cannot be used on this machine; undefined if it can. */
export function explainMissingEngine() {
  for (const args of [['compose', 'version'], ['info']]) {
    const { status } = spawnSync('docker', args, { stdio: 'ignore' });
    if (status !== 0) return `\`docker ${args.join(' ')}\` does not work on this machine`;
  }
  return undefined;
}

/**
 * Pulls the image of a service in docker-compose.yml, unless it is on this machine.
 * @returns whether the image is on this machine
 */
export function provideServiceImage(service) {
  const image = readServiceImage(service);
  const tryDocker = (...args) =>
    spawnSync('docker', args, { stdio: 'ignore', timeout: 120_000 }).status === 0;
  return tryDocker('image', 'inspect', image) || tryDocker('pull', '--quiet', image);
}

/** Reads the image of a service from docker-compose.yml. The keys of a service are indented by four spaces. */
function readServiceImage(service) {
  const yaml = fs.readFileSync(path.join(repository, 'docker-compose.yml'), 'utf8');
  return new RegExp(`^  ${service}:\\n(?:    .*\\n)*?    image: (\\S+)$`, 'm').exec(yaml)?.[1];
}

/** Runs docker-compose.yml as a separate compose project on a free port. */
export class ComposeStack {
  /** @param {string} project  name of the compose project */
  constructor(project) {
    this.project = project;
  }

  /**
   * Starts all services and waits until they are healthy. Removes first what a killed run has left of the project.
   * @param {{replicas: number, profiles?: string[]}} options
   */
  async start({ replicas, profiles = [] }) {
    this.port = await findFreePort();
    this.origin = `http://127.0.0.1:${this.port}`;
    this.environment = {
      ...process.env,
      COMPOSE_PROJECT_NAME: this.project,
      COMPOSE_FILE: path.join(repository, 'docker-compose.yml'),
      PORT: String(this.port),
      // The other limits profiles admit only a few users per IP address.
      LIMITS_PROFILE: 'load',
      COMPOSE_PROFILES: profiles.join(','),
    };
    await this.runCompose('down', '--volumes', '--timeout', '5');
    await this.runCompose('up', '--detach', '--build', '--wait', '--scale', `backend=${replicas}`);
  }

  async stop() {
    await this.runCompose('down', '--volumes', '--timeout', '10');
  }

  /** Runs `docker compose` with these arguments. @returns its output */
  runCompose(...args) {
    return this.execute('docker', ['compose', ...args]);
  }

  /**
   * Starts or stops replicas until `replicas` are left. Does not wait until new replicas are ready.
   * @param {string[]} flags  further flags of `docker compose up`
   */
  async scale(replicas, ...flags) {
    const ownFlags = ['--detach', '--no-deps', '--no-recreate', '--scale', `backend=${replicas}`];
    await this.runCompose('up', ...ownFlags, ...flags, 'backend');
  }

  /** Like `scale`, but waits until all replicas are ready. */
  async scaleAndWait(replicas) {
    await this.scale(replicas, '--wait');
  }

  /** Replaces the workers, the replicas and the web page (`frontend`), as a release does. */
  async roll() {
    await this.execute('sh', [path.join(repository, 'deploy/compose/roll.sh')]);
  }

  /** Drains and empties Redis, then starts everything again, as a release with a new data layout in Redis does. */
  async drainAndStart() {
    await this.execute('sh', [path.join(repository, 'deploy/compose/drain-and-start.sh')]);
  }

  /** @returns the ids of the running containers of a service */
  async listContainers(service) {
    return (await this.runCompose('ps', '--quiet', service)).split('\n').filter(Boolean);
  }

  async inspect(container) {
    return JSON.parse(await this.execute('docker', ['inspect', container]))[0];
  }

  /** @returns the value of a metric of a replica; undefined while the internal port does not respond */
  async readMetric(container, name) {
    // The image contains bash, but no HTTP client.
    const address = `/dev/tcp/127.0.0.1/${INTERNAL_PORT}`;
    const request = `exec 3<>${address} && printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3`;
    const text = await this.execute('docker', ['exec', container, 'bash', '-c', request]).catch(() => '');
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  }

  /** Runs a query that returns one value. @returns the value as text */
  async runQuery(sql) {
    return (await this.runPostgresClient('psql', '-Atc', sql)).trim();
  }

  /** @returns the output of `pg_dump` for the whole database */
  dumpDatabase() {
    return this.runPostgresClient('pg_dump');
  }

  /** Runs `psql` or `pg_dump` in the container of PostgreSQL, as the superuser. @returns its output */
  runPostgresClient(program, ...args) {
    // `$0` is the first argument after the script, the program, and `$@` are the others.
    const script =
      'PGPASSWORD=$(cat /run/thaw/superuser-password) exec "$0" --username postgres --dbname thaw "$@"';
    return this.runCompose('exec', '-T', 'postgres', 'bash', '-c', script, program, ...args);
  }

  readLogs(...args) {
    return this.runCompose('logs', '--no-color', ...args);
  }

  /** Runs a command with the environment of this stack. @returns its output */
  async execute(command, args) {
    const options = { cwd: repository, env: this.environment, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await runFile(command, args, options);
    return stdout;
  }
}

function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
