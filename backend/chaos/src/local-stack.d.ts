// Types of the JavaScript modules in deploy/local that only the chaos run uses. Those of the bench's modules are in
// backend/bench/src/local-stack.d.ts, and other modules have a .d.mts file beside them.

declare module '*/deploy/local/stores/private-store.mjs' {
  export class PrivateStore {
    constructor(home: string, kind: StoreKind);
    readonly kind: StoreKind;
    findRunning(): { process: { pid: number }; port: number } | undefined;
    /** Starts the store if it does not run. `mustKeepPort`: fails rather than change the port. @returns its port */
    ensureRunning(options?: { mustKeepPort?: boolean }): Promise<number>;
    stop(): Promise<void>;
    kill(): void;
  }
  export interface StoreKind {
    name: string;
    buildUrl(port: number): string;
  }
}

declare module '*/deploy/local/stores/postgres.mjs' {
  import type { StoreKind } from '*/deploy/local/stores/private-store.mjs';
  export function describePostgres(
    home: string,
    /** `isDurable`: whether commits wait until they are on the disk. `settings`: parameters of postgresql.conf. */
    options: { isDurable: boolean; settings?: Record<string, string | number> },
  ): StoreKind;
}

declare module '*/deploy/local/stores/postgres-folder.mjs' {
  /** @returns the folder with the data of PostgreSQL */
  export function ensurePostgresFolder(home: string): string;
}

declare module '*/deploy/local/stores/redis.mjs' {
  import type { StoreKind } from '*/deploy/local/stores/private-store.mjs';
  export function describeRedis(home: string, logStep: (label: string, text: string) => void): StoreKind;
}

declare module '*/deploy/local/paths.mjs' {
  export function resolveInRepository(...parts: string[]): string;
  /** Creates the folder if it is missing. @returns its path */
  export function ensureFolder(...parts: string[]): string;
}
