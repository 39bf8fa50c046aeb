// The types of thaw-stack.mjs, for tests written in TypeScript.

export interface Stores {
  /** Address with the role that owns all tables. */
  databaseUrl: string;
  /** Address with the role of the running service, if that role does not own the tables. */
  serviceDatabaseUrl?: string;
  redisUrl: string;
}

/** A process of the product: an api replica or a worker. */
export interface Replica {
  readonly name: string;
  /** Pid of the running process. */
  readonly pid: number | undefined;
  /** Port on which an api replica serves the API: nginx connects to this port, or browsers if nginx does not run. */
  readonly port?: number;
  /** Port of /health/ready and /metrics. */
  readonly internalPort: number;
  readonly logFile: string;
  /** Sends a signal to inject a fault, SIGKILL by default. If the process dies, it is restarted. */
  kill(signal?: NodeJS.Signals): void;
  /** Stops the process gracefully, without a restart. */
  stop(): Promise<void>;
  /**
   * Starts a stopped process and resolves when it is ready. `program` replaces its program, for example by that of
   * another build.
   */
  start(program?: Program): Promise<void>;
  /** Resolves when the current process is ready. */
  waitUntilReady(): Promise<void>;
}

export interface Program {
  command: string;
  args: string[];
}

export type Programs = Record<'migrate' | 'api' | 'worker', Program>;

/** The programs of a build of the product. `dist` is its folder backend/dist. */
export function describePrograms(dist: string): Programs;

/** The programs of this checkout's build. */
export const thawPrograms: Programs;

export interface StackOptions {
  /** Number of api processes, 1 by default; nginx runs in front of several. */
  replicas?: number;
  /** Number of worker processes, 1 by default. */
  workers?: number;
  /** By default the stores of DATABASE_URL and REDIS_URL, or private stores if these variables are not set. */
  stores?: Stores;
  /** Port of the page; a free port by default. */
  port?: number;
  /** Settings of every process; they override the environment of this process. */
  env?: Record<string, string>;
  /** Settings of one process, by its name; they override all others. */
  createSettings?: (name: string) => Record<string, string>;
  /** Maps the ports of the replicas to the ports nginx connects to, for a proxy between them. */
  routeToReplicas?: (apiPorts: number[]) => Promise<number[]>;
  /** Runs nginx even in front of a single replica. */
  isProxied?: boolean;
  /** Restarts processes that die; true by default. */
  shouldRestart?: boolean;
  /** Folder for data and logs; by default a temporary one, deleted when the stack stops. */
  home?: string;
  /** Private stores use fsync; by default only if `home` is set. */
  isDurable?: boolean;
  programs?: Programs;
  /** Folder of the built page. */
  page?: string;
  logStep?: (label: string, text: string) => void;
}

export interface Stack {
  /** Address of the page. */
  readonly url: string;
  readonly ports: { page: number; replicas: number[] };
  readonly replicas: Replica[];
  readonly workers: Replica[];
  /** nginx, if it runs. */
  readonly proxy?: Omit<Replica, 'port' | 'internalPort'>;
  readonly stores: Stores;
  /** The folder that holds logs/. */
  readonly home: string;
  /** Stops all processes gracefully, and deletes a temporary home. */
  stop(): Promise<void>;
  /** Makes a registered user a moderator, with the command-line tool for operators. */
  appointModerator(email: string): Promise<void>;
  /** Kills all processes immediately. */
  killNow(): void;
}

/** Starts the built product as real processes; resolves once the page is served. */
export function startStack(options?: StackOptions): Promise<Stack>;
