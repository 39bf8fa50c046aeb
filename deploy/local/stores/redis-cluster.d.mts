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

/** A hash slot that is being moved. */
export interface SlotMove {
  moveKey(key: string): Promise<void>;
  /** Moves the remaining keys, and assigns the slot to its new node. */
  finish(): Promise<void>;
}

export interface RedisCluster {
  /** REDIS_URL with the ACL that the compose files set for the product, and three of the nodes as seeds. */
  readonly url: string;
  /** REDIS_URL of a user with all permissions. */
  readonly adminUrl: string;
  readonly nodes: readonly RedisClusterNode[];
  /** The node that serves a key now. */
  findPrimary(key: string): Promise<RedisClusterNode>;
  findPrimaryOfSlot(slot: number): Promise<RedisClusterNode>;
  /** The running primaries. */
  listPrimaries(): Promise<RedisClusterNode[]>;
  findSlot(key: string): Promise<number>;
  /** Adds a primary that serves no slot yet. Resolves when all nodes know it, and it accepts keys. */
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
  stop(): Promise<void>;
}

/** @param options.nodeTimeoutMs silence after which a node counts as failed */
export function startRedisCluster(options?: {
  primaries?: number;
  /** One for each primary; true by default. */
  hasReplicas?: boolean;
  nodeTimeoutMs?: number;
}): Promise<RedisCluster>;
