import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { logNothing } from '../console.mjs';
import { findFreePorts } from '../processes/ports.mjs';
import { formatDataSettings, formatThawUser, pollUntil, RedisNode } from './redis-node.mjs';
import { findRedis } from './redis-program.mjs';

/** Number of hash slots of every Redis Cluster. */
const SLOTS = 16_384;
const MOVE_TIMEOUT_MS = 5_000;
/** Number of keys per MIGRATE command: the default of redis-cli. */
const KEYS_PER_MIGRATE = 10;

/**
 * Starts a Redis Cluster of local processes: primaries that share the hash slots, and one replica for each primary.
 * Their data is deleted when the cluster stops. Resolves when all nodes know each other and every replica is in sync.
 * @param {{primaries?: number, hasReplicas?: boolean, nodeTimeoutMs?: number,
 *   logStep?: (label: string, text: string) => void}} [options]  `nodeTimeoutMs`: time without a response
 *   after which a node counts as failed
 */
export async function startRedisCluster({
  primaries = 3,
  hasReplicas = true,
  nodeTimeoutMs = 2_000,
  logStep = logNothing,
} = {}) {
  const program = await findRedis(logStep);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-redis-cluster-'));
  const cluster = new RedisCluster({
    program,
    folder,
    nodeTimeoutMs,
    password: randomBytes(24).toString('hex'),
  });
  try {
    await cluster.start(primaries, hasReplicas ? primaries : 0);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

class RedisCluster {
  #options;
  #firstBusPort;
  /** @type {RedisNode[]} */
  nodes = [];

  constructor(options) {
    this.#options = options;
  }

  /**
   * The REDIS_URL of the user `thaw`, whose permissions (ACL) are those of the compose files. It names three nodes,
   * from which a client gets the addresses of all others.
   */
  get url() {
    return this.#formatUrl('thaw');
  }

  /** The REDIS_URL of the user `default`, who has all permissions. */
  get adminUrl() {
    return this.#formatUrl('default');
  }

  #formatUrl(user) {
    const seeds = this.nodes.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
    return `redis+cluster://${user}:${this.#options.password}@${seeds.join(',')}`;
  }

  /** Lists the commands that the permissions of a user denied, as `<user> <command>`. */
  async listDeniedCommands() {
    const logs = await Promise.all(this.#listRunning().map((node) => node.listDeniedCommands()));
    return logs.flat();
  }

  async start(primaryCount, replicaCount) {
    for (let index = 0; index < primaryCount + replicaCount; index += 1) await this.#startNode();
    const primaries = this.nodes.slice(0, primaryCount);
    const slotsPerPrimary = SLOTS / primaryCount;
    await Promise.all(
      primaries.map((node, index) =>
        node.call(
          'CLUSTER',
          'ADDSLOTSRANGE',
          Math.ceil(index * slotsPerPrimary),
          Math.ceil((index + 1) * slotsPerPrimary) - 1,
        ),
      ),
    );
    await this.#join(this.nodes.slice(1));
    await Promise.all(
      this.nodes
        .slice(primaryCount)
        .map(async (node, index) => node.call('CLUSTER', 'REPLICATE', await primaries[index].readId())),
    );
    await this.waitUntilConverged();
  }

  /** Adds a primary without slots. Resolves when all nodes know the new primary, so that slots can be moved to it. */
  async addPrimary() {
    const node = await this.#startNode();
    await this.#join([node]);
    await this.waitUntilConverged();
    return node;
  }

  /** Starts a node that does not belong to the cluster yet. */
  async #startNode() {
    const [port, busPort] = await findFreePorts(2);
    this.#firstBusPort ??= busPort;
    const { program, folder, password, nodeTimeoutMs } = this.#options;
    // `cluster-require-full-coverage no`: the other slots are still served while one primary is replaced.
    const settings = `${formatDataSettings(password)}cluster-enabled yes
cluster-port ${busPort}
cluster-node-timeout ${nodeTimeoutMs}
cluster-require-full-coverage no
${formatThawUser(password)}`;
    const node = new RedisNode({ program, folder, password, port, settings });
    this.nodes.push(node);
    await node.start();
    return node;
  }

  /** Introduces nodes to the first node, which makes them known to all others. */
  async #join(nodes) {
    const [{ port }] = this.nodes;
    await Promise.all(
      nodes.map((node) => node.call('CLUSTER', 'MEET', '127.0.0.1', port, this.#firstBusPort)),
    );
    await pollUntil(() => this.#doNodesKnowEachOther(), 'The nodes do not see each other');
  }

  /** Whether every running node knows all nodes. */
  async #doNodesKnowEachOther() {
    const infos = await Promise.all(this.#listRunning().map((node) => node.call('CLUSTER', 'INFO')));
    return infos.every((info) => info.includes(`cluster_known_nodes:${this.nodes.length}\r`));
  }

  /**
   * Resolves when all running nodes agree which of them serve the slots, and every running replica is in sync with its
   * primary.
   */
  async waitUntilConverged() {
    await pollUntil(
      async () => (await this.#areNodesReady()) && (await this.#doNodesAgree()),
      'The nodes of the cluster do not agree',
    );
  }

  async #areNodesReady() {
    const answers = await Promise.all(this.#listRunning().map((node) => isReady(node)));
    return answers.every(Boolean);
  }

  /**
   * Whether all running nodes see the same primaries with the same slots and epochs, and all these primaries run. The
   * epoch is a number that grows with each change of the owners: of two owners of a slot, the one with the greater
   * epoch is valid.
   */
  async #doNodesAgree() {
    const running = this.#listRunning();
    const views = await Promise.all(
      running.map(async (node) => listPrimariesWithSlots(await node.call('CLUSTER', 'NODES'))),
    );
    const [firstView] = views;
    const areViewsEqual = views.every((view) => JSON.stringify(view) === JSON.stringify(firstView));
    const doPrimariesRun = firstView.every(({ address }) =>
      running.some(({ port }) => address.includes(`:${port}@`)),
    );
    return areViewsEqual && doPrimariesRun;
  }

  /** The node that serves a key now. */
  async findPrimary(key) {
    return this.findPrimaryOfSlot(await this.findSlot(key));
  }

  /** The node that serves a slot now. */
  async findPrimaryOfSlot(slot) {
    // Ask a primary, because a replica learns of moved slots with a delay.
    const [anyPrimary] = await this.listPrimaries();
    // Each range is [first slot, last slot, [host, port, …] of the primary, …].
    const ranges = await anyPrimary.call('CLUSTER', 'SLOTS');
    const [, , [, port]] = ranges.find(([first, last]) => first <= slot && slot <= last);
    return this.nodes.find((node) => node.port === port);
  }

  /** The running primaries. */
  async listPrimaries() {
    const nodes = this.#listRunning();
    const roles = await Promise.all(nodes.map((node) => node.call('ROLE')));
    return nodes.filter((_, index) => roles[index][0] === 'master');
  }

  /** The hash slot of a key. */
  async findSlot(key) {
    return this.#listRunning()[0].call('CLUSTER', 'KEYSLOT', key);
  }

  /**
   * Begins to move a slot to another primary, with the commands of `redis-cli --cluster reshard`.
   * @returns functions that move one key, and that move all remaining keys and then the slot
   */
  async beginMove(slot, target) {
    const source = await this.findPrimaryOfSlot(slot);
    const targetId = await target.readId();
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await source.readId());
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    const moveKeys = async (keys) => {
      // The key is empty, because the keys follow after KEYS. A cluster has only the database 0.
      const destination = ['127.0.0.1', target.port, '', 0, MOVE_TIMEOUT_MS];
      await source.call('MIGRATE', ...destination, 'AUTH', this.#options.password, 'KEYS', ...keys);
    };
    return {
      moveKey: (key) => moveKeys([key]),
      finish: async () => {
        for (;;) {
          const keys = await source.call('CLUSTER', 'GETKEYSINSLOT', slot, KEYS_PER_MIGRATE);
          if (keys.length === 0) break;
          await moveKeys(keys);
        }
        // The target first, as redis-cli does. A second call for the same node changes nothing.
        for (const node of [target, source, ...(await this.listPrimaries())])
          await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
      },
    };
  }

  /**
   * Moves slots with all their keys while clients use them. Resolves when all nodes agree.
   *
   * All nodes have to agree before the first move, too. A node that receives a slot takes an epoch greater than every
   * epoch that it knows. If it did not know the epoch of the previous owner, that epoch could be greater: the previous
   * owner would then get the slot back with its next message.
   */
  async moveSlots(slots, target) {
    await this.waitUntilConverged();
    for (const slot of slots) {
      if ((await this.findPrimaryOfSlot(slot)) === target) continue;
      const move = await this.beginMove(slot, target);
      await move.finish();
    }
    await this.waitUntilConverged();
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.kill()));
    fs.rmSync(this.#options.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #listRunning() {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }
}

/** Whether all slots are served, as the node sees it, and the node is a primary or in sync with its primary. */
async function isReady(node) {
  const cluster = await node.call('CLUSTER', 'INFO');
  const replication = await node.call('INFO', 'replication');
  const isPrimary = replication.includes('role:master');
  const isInSync = replication.includes('master_link_status:up');
  return cluster.includes('cluster_state:ok') && (isPrimary || isInSync);
}

/**
 * Parses the reply to CLUSTER NODES: the primaries that have slots, as the replying node sees them. Each line is
 * `<id> <address> <flags> <primary> <ping> <pong> <epoch> <link> <slots>…`.
 */
function listPrimariesWithSlots(reply) {
  const primaries = [];
  for (const line of reply.trim().split('\n')) {
    const [id, address, flags, , , , epoch, , ...ranges] = line.split(' ');
    const slots = ranges.join(' ');
    if (flags.includes('master') && slots !== '') primaries.push({ id, address, epoch, slots });
  }
  return primaries.sort((one, other) => one.id.localeCompare(other.id));
}
