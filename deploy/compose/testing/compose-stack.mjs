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
  const yaml = fs.readFileSync(path.join(repository, 'docker-compose.yml'), 'utf8');
  const image = new RegExp(`^  ${service}:\\n(?:    .*\\n)*?    image: (\\S+)$`, 'm').exec(yaml)?.[1];
  return [
    ['image', 'inspect', image],
    ['pull', '--quiet', image],
  ].some((args) => spawnSync('docker', args, { stdio: 'ignore', timeout: 120_000 }).status === 0);
}

/** Runs docker-compose.yml as a separate compose project on a free port. */
export class ComposeStack {
  /** @param {string} project  name of the compose project; `start` removes containers that a killed run left in it */
  constructor(project) {
    this.project = project;
  }

  /** @param {{replicas: number, profiles?: string[]}} options */
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

  async runCompose(...args) {
    return this.execute('docker', ['compose', ...args]);
  }

  /** Resolves once surplus replicas are gone and missing ones are started, but not necessarily ready. */
  async scale(replicas, ...options) {
    const flags = ['--detach', '--no-deps', '--no-recreate', ...options];
    await this.runCompose('up', ...flags, '--scale', `backend=${replicas}`, 'backend');
  }

  /** Like `scale`, and resolves once all replicas are ready. */
  async scaleAndWait(replicas) {
    await this.scale(replicas, '--wait');
  }

  /** Replaces workers, replicas and the page, as a release does. */
  async roll() {
    await this.execute('sh', [path.join(repository, 'deploy/compose/roll.sh')]);
  }

  /** Drains and empties Redis and starts everything again, as a release does that changes the data layout of Redis. */
  async drainAndStart() {
    await this.execute('sh', [path.join(repository, 'deploy/compose/drain-and-start.sh')]);
  }

  /** Lists the ids of the running containers of a service. */
  async listContainers(service) {
    return (await this.runCompose('ps', '--quiet', service)).split('\n').filter(Boolean);
  }

  async inspect(container) {
    return JSON.parse(await this.execute('docker', ['inspect', container]))[0];
  }

  /** Reads a metric of a replica. @returns its value; undefined while the internal port does not respond */
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
    // `$0` is the argument after the script, the SQL.
    const psql =
      'PGPASSWORD=$(cat /run/thaw/superuser-password) exec psql --username postgres --dbname thaw -Atc "$0"';
    return (await this.runCompose('exec', '-T', 'postgres', 'bash', '-c', psql, sql)).trim();
  }

  /** @returns the output of `pg_dump` for the whole database */
  dumpDatabase() {
    const dump =
      'PGPASSWORD=$(cat /run/thaw/superuser-password) exec pg_dump --username postgres --dbname thaw';
    return this.runCompose('exec', '-T', 'postgres', 'bash', '-c', dump);
  }

  readLogs(...args) {
    return this.runCompose('logs', '--no-color', ...args);
  }

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
