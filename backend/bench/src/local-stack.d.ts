// Types of the JavaScript modules in deploy/local that the bench uses.

declare module '*/deploy/local/stores/stores.mjs' {
  export function openStores(options: {
    /** Folder for the data, logs and secrets of the stores. */
    home: string;
    /** If it has DATABASE_URL or REDIS_URL, that store is used instead of a private one. */
    env?: NodeJS.ProcessEnv;
  }): Promise<{ databaseUrl: string; redisUrl: string; close(): Promise<void> }>;
}

declare module '*/deploy/local/temporary-homes.mjs' {
  /** Creates a folder for the data, logs and secrets of a local stack. */
  export function makeTemporaryHome(): string;
  /** Ends all processes that use the folder, and deletes it. */
  export function deleteTemporaryHome(home: string): Promise<void>;
}

declare module '*/deploy/local/product-environment.mjs' {
  export function prepareProductEnvironment(options: {
    home: string;
    stores: { databaseUrl: string; redisUrl: string };
    /** Environment variables of all processes of the stack. */
    stackSettings?: Record<string, string>;
    /** Environment variables of one process; they override all others. */
    settings?: Record<string, string | number>;
  }): Record<string, string>;
}

declare module '*/deploy/local/proxy/nginx.mjs' {
  export function prepareNginx(options: {
    home: string;
    port: number;
    /** Address to listen on; both loopback addresses by default. */
    host?: string;
    apiPorts: number[];
    /** Folder of the built page. */
    page: string;
    limitsProfile: 'strict' | 'default' | 'load';
    logStep: (label: string, text: string) => void;
  }): Promise<{
    name: string;
    command: string;
    args: string[];
    env: NodeJS.ProcessEnv;
    logFile: string;
  }>;
}

declare module '*/deploy/local/processes/ports.mjs' {
  export function findFreePorts(count: number): Promise<number[]>;
}

declare module '*/deploy/local/replica-node-flags.mjs' {
  export const replicaNodeFlags: readonly string[];
}
