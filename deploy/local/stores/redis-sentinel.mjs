import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { logNothing } from '../console.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { formatDataSettings, formatThawUser, pollUntil, RedisNode } from './redis-node.mjs';
import { findRedis } from './redis-program.mjs';

const PRIMARY_NAME = 'thaw';
const SENTINELS = 3;
/** Number of Sentinels that must agree that the primary has failed. */
const QUORUM = 2;
/** Sentinel's `failover-timeout`: a failed failover is repeated after twice this time. */
const FAILOVER_TIMEOUT_MS = 10_000;

/**
 * Starts a Redis primary, its replica and three Sentinels as local processes. Their data is deleted when they stop.
 * Resolves when the replica is in sync and the Sentinels know the replica and each other.
 * @param {{downAfterMs?: number, logStep?: (label: string, text: string) => void}} [options]
 *   `downAfterMs`: time without a response after which the primary counts as failed
 */
export async function startRedisSentinel({ downAfterMs = 2_000, logStep = logNothing } = {}) {
  const program = await findRedis(logStep);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-redis-sentinel-'));
  const group = new SentinelGroup({ program, folder, downAfterMs });
  try {
    await group.start();
    return group;
  } catch (error) {
    await group.stop();
    throw error;
  }
}

class SentinelGroup {
  #options;
  #password = randomBytes(24).toString('hex');
  /** The value of REDIS_SENTINEL_PASSWORD. */
  sentinelPassword = randomBytes(24).toString('hex');
  /** The primary and its replica, which a failover may exchange. @type {RedisNode[]} */
  #servers = [];
  /** @type {RedisNode[]} */
  #sentinels = [];

  constructor(options) {
    this.#options = options;
  }

  /** The REDIS_URL of the user `thaw`, whose permissions (ACL) are those of the compose files. */
  get url() {
    const sentinels = this.#sentinels.map(({ port }) => `127.0.0.1:${port}`);
    return `redis+sentinel://thaw:${this.#password}@${sentinels.join(',')}/${PRIMARY_NAME}`;
  }

  async start() {
    const serverSettings = `${formatDataSettings(this.#password)}${formatThawUser(this.#password)}`;
    const primary = await this.#startNode(this.#servers, {
      password: this.#password,
      settings: serverSettings,
    });
    const replica = await this.#startNode(this.#servers, {
      password: this.#password,
      settings: `${serverSettings}replicaof 127.0.0.1 ${primary.port}\n`,
    });
    const sentinelSettings = this.#formatSentinelSettings(primary);
    for (let index = 0; index < SENTINELS; index += 1) {
      await this.#startNode(this.#sentinels, {
        password: this.sentinelPassword,
        settings: sentinelSettings,
        args: ['--sentinel'],
      });
    }
    await pollUntil(() => this.#isComplete(replica), 'The Sentinels do not see the replica and one another');
  }

  /** Returns the lines of the configuration that all Sentinels share. */
  #formatSentinelSettings(primary) {
    return `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} ${QUORUM}
sentinel auth-pass ${PRIMARY_NAME} ${this.#password}
sentinel down-after-milliseconds ${PRIMARY_NAME} ${this.#options.downAfterMs}
sentinel failover-timeout ${PRIMARY_NAME} ${FAILOVER_TIMEOUT_MS}
sentinel sentinel-pass ${this.sentinelPassword}
`;
  }

  /** Starts a node and adds it to `nodes`. */
  async #startNode(nodes, options) {
    const [port] = await findFreePorts(1);
    const { program, folder } = this.#options;
    const node = new RedisNode({ program, folder, port, ...options });
    // Before the start, so that `stop` also kills a node whose start fails.
    nodes.push(node);
    await node.start();
    return node;
  }

  /** Whether the replica is in sync, and every Sentinel knows the replica and the other Sentinels. */
  async #isComplete(replica) {
    const replication = await replica.call('INFO', 'replication');
    if (!replication.includes('master_link_status:up')) return false;
    const infos = await Promise.all(this.#sentinels.map((node) => node.call('INFO', 'sentinel')));
    // A Sentinel counts the replicas of the primary, and the Sentinels including itself.
    return infos.every((info) => info.includes(`slaves=1,sentinels=${SENTINELS}`));
  }

  /** The server that the Sentinels name as the primary. */
  async findPrimary() {
    const [, port] = await this.#sentinels[0].call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', PRIMARY_NAME);
    return this.#servers.find((node) => node.port === Number(port));
  }

  /** Commands that the ACL denied, as `<user> <command>`. */
  async listDeniedCommands() {
    const running = this.#servers.filter(({ isRunning }) => isRunning);
    const logs = await Promise.all(running.map((node) => node.listDeniedCommands()));
    return logs.flat();
  }

  async stop() {
    await Promise.all([...this.#sentinels, ...this.#servers].map((node) => node.kill()));
    fs.rmSync(this.#options.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
