/** One process of a cluster. */
export interface RedisClusterNode {
  readonly port: number;
  readonly isRunning: boolean;
  /** Starts the process, with the data of the previous one. */
  start(): Promise<void>;
  /** Sends a command to this node alone. */
  call(name: string, ...parameters: (string | number)[]): Promise<unknown>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

export interface RedisCluster {
  /** REDIS_URL, with three of the nodes as seeds. */
  readonly url: string;
  readonly nodes: readonly RedisClusterNode[];
  /** The node that serves a key now. */
  findPrimary(key: string): Promise<RedisClusterNode>;
  /** Resolves when every slot is served, and every running replica is in sync with its primary. */
  waitUntilWhole(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.nodeTimeoutMs silence after which a node counts as failed */
export function startRedisCluster(options?: {
  primaries?: number;
  nodeTimeoutMs?: number;
}): Promise<RedisCluster>;
