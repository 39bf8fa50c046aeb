/** One process of a cluster. */
export interface RedisClusterNode {
  readonly port: number;
  readonly isRunning: boolean;
  /** Starts the process with the data of its previous run. */
  start(): Promise<void>;
  /** Sends a command to this node only. */
  call(name: string, ...parameters: (string | number)[]): Promise<unknown>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

/** A hash slot that is being moved to another primary. */
export interface SlotMove {
  /** Moves one key of the slot. */
  moveKey(key: string): Promise<void>;
  /** Moves the remaining keys, and assigns the slot to its new node. */
  finish(): Promise<void>;
}

export interface RedisCluster {
  /** REDIS_URL of a user with the ACL that the compose files set for the product, and with three nodes as seeds. */
  readonly url: string;
  /** REDIS_URL of a user with all permissions. */
  readonly adminUrl: string;
  readonly nodes: readonly RedisClusterNode[];
  /** The node that serves a key now. */
  findPrimary(key: string): Promise<RedisClusterNode>;
  /** The node that serves a slot now. */
  findPrimaryOfSlot(slot: number): Promise<RedisClusterNode>;
  /** The running primaries. */
  listPrimaries(): Promise<RedisClusterNode[]>;
  /** The hash slot of a key. */
  findSlot(key: string): Promise<number>;
  /** Adds a primary without slots. Resolves when all nodes know the new primary and it accepts keys. */
  addPrimary(): Promise<RedisClusterNode>;
  /** Begins to move a slot to another primary, with the commands of `redis-cli --cluster reshard`. */
  beginMove(slot: number, target: RedisClusterNode): Promise<SlotMove>;
  /** Moves slots with all their keys. Resolves when all nodes agree. */
  moveSlots(slots: readonly number[], target: RedisClusterNode): Promise<void>;
  /**
   * Resolves when all running nodes agree which of them serve the slots, and every running replica is in sync with its
   * primary.
   */
  waitUntilConverged(): Promise<void>;
  /** Commands that the ACL denied, as `<user> <command>`. */
  listDeniedCommands(): Promise<string[]>;
  /** Kills all nodes and deletes their data. */
  stop(): Promise<void>;
}

/** Starts a Redis Cluster. @param options.nodeTimeoutMs time without a response after which a node counts as failed */
export function startRedisCluster(options?: {
  /** Number of primaries, 3 by default. */
  primaries?: number;
  /** Whether each primary has a replica; true by default. */
  hasReplicas?: boolean;
  nodeTimeoutMs?: number;
}): Promise<RedisCluster>;
