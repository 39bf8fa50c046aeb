import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';
import { logNothing } from '../console.mjs';
import { spawnLogged, waitUntilReady } from '../processes/logged-process.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { endProcess } from '../processes/process-identity.mjs';
import { findRedis } from './redis-program.mjs';

const SLOTS = 16_384;
const READY_WITHIN_MS = 30_000;
const POLL_MS = 50;
const END_STEPS = [{ signal: 'SIGKILL', waitMs: 2_000 }];

/**
 * Starts a Redis Cluster of local processes whose data is deleted when it stops: primaries that share the slots, and one
 * replica for each. Resolves when every node sees the whole cluster and every replica is in sync.
 * @param {{primaries?: number, nodeTimeoutMs?: number, logStep?: (label: string, text: string) => void}} [options]
 *   `nodeTimeoutMs`: silence after which a node counts as failed
 */
export async function startRedisCluster({ primaries = 3, nodeTimeoutMs = 2_000, logStep = logNothing } = {}) {
  const program = await findRedis(logStep);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-redis-cluster-'));
  const cluster = new RedisCluster({
    program,
    folder,
    nodeTimeoutMs,
    password: randomBytes(24).toString('hex'),
  });
  try {
    await cluster.start(primaries);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

class RedisCluster {
  #options;
  /** @type {RedisNode[]} */
  nodes = [];

  constructor(options) {
    this.#options = options;
  }

  /** REDIS_URL, with three of the nodes as seeds. */
  get url() {
    const seeds = this.nodes.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
    return `redis+cluster://:${this.#options.password}@${seeds.join(',')}`;
  }

  async start(primaryCount) {
    for (let index = 0; index < 2 * primaryCount; index += 1) await this.addNode();
    const primaries = this.nodes.slice(0, primaryCount);
    const share = SLOTS / primaryCount;
    await Promise.all(
      primaries.map((node, index) =>
        node.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil(index * share), Math.ceil((index + 1) * share) - 1),
      ),
    );
    await this.#join(this.nodes.slice(1));
    await Promise.all(
      this.nodes
        .slice(primaryCount)
        .map(async (node, index) => node.call('CLUSTER', 'REPLICATE', await primaries[index].readId())),
    );
    await this.waitUntilWhole();
  }

  /** Starts a node that does not belong to the cluster yet. */
  async addNode() {
    const [port, busPort] = await findFreePorts(2);
    const node = new RedisNode({ ...this.#options, port, busPort });
    this.nodes.push(node);
    await node.start();
    return node;
  }

  async #join(nodes) {
    const [{ port, busPort }] = this.nodes;
    await Promise.all(nodes.map((node) => node.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort)));
    await pollUntil(() => this.#knowsAll(), 'The nodes do not see each other');
  }

  async #knowsAll() {
    const infos = await Promise.all(this.#running().map((node) => node.call('CLUSTER', 'INFO')));
    return infos.every((info) => info.includes(`cluster_known_nodes:${this.nodes.length}\r`));
  }

  /** Resolves when every slot is served, and every running replica is in sync with its primary. */
  async waitUntilWhole() {
    await pollUntil(async () => {
      const states = await Promise.all(
        this.#running().map(async (node) => ({
          cluster: await node.call('CLUSTER', 'INFO'),
          replication: await node.call('INFO', 'replication'),
        })),
      );
      return states.every(
        ({ cluster, replication }) =>
          cluster.includes('cluster_state:ok') &&
          (replication.includes('role:master') || replication.includes('master_link_status:up')),
      );
    }, 'The cluster is not whole');
  }

  /** The node that serves a key now. */
  async findPrimary(key) {
    const [node] = this.#running();
    const slot = await node.call('CLUSTER', 'KEYSLOT', key);
    const ranges = await node.call('CLUSTER', 'SLOTS');
    const [, , [, port]] = ranges.find(([first, last]) => first <= slot && slot <= last);
    return this.nodes.find((each) => each.port === port);
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.kill()));
    fs.rmSync(this.#options.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #running() {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }
}

class RedisNode {
  #options;
  #started;
  #client;
  isRunning = false;

  constructor(options) {
    this.#options = options;
    this.port = options.port;
    this.busPort = options.busPort;
  }

  /** Starts the process, with the data of the previous one. */
  async start() {
    const { program, folder, port, busPort, password, nodeTimeoutMs } = this.#options;
    const data = path.join(folder, String(port));
    fs.mkdirSync(data, { recursive: true });
    const configurationFile = path.join(data, 'redis.conf');
    fs.writeFileSync(
      configurationFile,
      `bind 127.0.0.1
port ${port}
cluster-enabled yes
cluster-port ${busPort}
cluster-node-timeout ${nodeTimeoutMs}
cluster-require-full-coverage no
requirepass ${password}
masterauth ${password}
dir "${data}"
save ""
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
`,
      { mode: 0o600 },
    );
    const definition = {
      name: `Redis on port ${port}`,
      command: program.command,
      args: [configurationFile],
      env: { ...process.env, ...program.env },
      cwd: data,
      logFile: path.join(data, 'redis.log'),
      isReady: async () => (await this.call('PING')) === 'PONG',
    };
    this.#client = new Redis({
      port,
      host: '127.0.0.1',
      password,
      lazyConnect: true,
      retryStrategy: () => POLL_MS,
    });
    this.#client.on('error', () => undefined);
    this.#started = spawnLogged(definition);
    this.#client.connect().catch(() => undefined);
    await waitUntilReady(definition, this.#started);
    this.isRunning = true;
  }

  /** Sends a command to this node alone. */
  call(name, ...parameters) {
    return this.#client.call(name, ...parameters.map(String));
  }

  async readId() {
    return this.call('CLUSTER', 'MYID');
  }

  /** Ends the process with SIGKILL. */
  async kill() {
    this.isRunning = false;
    this.#client?.disconnect();
    await endProcess(this.#started?.identity, END_STEPS);
  }
}

async function pollUntil(isTrue, problem) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`${problem} after ${READY_WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
