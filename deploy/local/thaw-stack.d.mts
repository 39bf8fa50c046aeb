// The types of thaw-stack.mjs, for tests written in TypeScript.

export interface Stores {
  /** Under the role that owns everything in it. */
  databaseUrl: string;
  /** Under the role of the running service, where that is another one. */
  serviceDatabaseUrl?: string;
  redisUrl: string;
}

/** A process of the product. */
export interface Replica {
  readonly name: string;
  /** Of the process that runs now. */
  readonly pid: number | undefined;
  /** Where an api replica itself listens, past nginx. */
  readonly port?: number;
  /** Where it answers /health/ready and /metrics. */
  readonly internalPort: number;
  readonly logFile: string;
  /** A fault from outside, SIGKILL unless given: if it dies of it, it is started again. */
  kill(signal?: NodeJS.Signals): void;
  /** An orderly end, without being started again. */
  stop(): Promise<void>;
  /** Starts a stopped one; ready when it resolves. From then on of another build, when a program is given. */
  start(program?: Program): Promise<void>;
  /** Resolves when what runs now is ready. */
  untilReady(): Promise<void>;
}

export interface Program {
  command: string;
  args: string[];
}

export type Programs = Record<'migrate' | 'api' | 'worker', Program>;

/** The programs of a build of the product, by its folder backend/dist. */
export function programsIn(dist: string): Programs;

/** The programs of the product, as they stand after a build. */
export const thawPrograms: Programs;

export interface StackOptions {
  /** Api processes, 1 unless given; nginx stands in front of several. */
  replicas?: number;
  /** 1 unless given. */
  workers?: number;
  /** Unless given: those of DATABASE_URL and REDIS_URL, else private ones. */
  stores?: Stores;
  /** Of the page; a free one unless given. */
  port?: number;
  /** Further settings for every process, over those of this process. */
  env?: Record<string, string>;
  /** Further settings of one process, over all others. */
  settingsOf?: (name: string) => Record<string, string>;
  /** Where nginx finds the replicas instead, for a proxy between the two. */
  routeToReplicas?: (apiPorts: number[]) => Promise<number[]>;
  /** nginx also in front of a single replica. */
  isProxied?: boolean;
  /** Start again what dies; true unless given. */
  isKeptRunning?: boolean;
  /** Folder for data and logs; one that goes with the stack unless given. */
  home?: string;
  /** Private stores wait for the disk; unless given, those do whose home stays. */
  isDurable?: boolean;
  programs?: Programs;
  /** Folder of the built page. */
  page?: string;
  say?: (label: string, text: string) => void;
}

export interface Stack {
  readonly url: string;
  readonly ports: { page: number; replicas: number[] };
  readonly replicas: Replica[];
  readonly workers: Replica[];
  readonly proxy?: Omit<Replica, 'port' | 'internalPort'>;
  readonly stores: Stores;
  /** The folder with logs/. */
  readonly home: string;
  stop(): Promise<void>;
  killNow(): void;
}

/** Starts the built product as real processes; resolves once the page is served. */
export function startStack(options?: StackOptions): Promise<Stack>;
