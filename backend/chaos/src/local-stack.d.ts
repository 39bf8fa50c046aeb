// Types of the JavaScript modules in deploy/local that only the chaos run uses.

declare module '*/deploy/local/stores/private-store.mjs' {
  export class PrivateStore {
    constructor(home: string, kind: StoreKind);
    readonly kind: StoreKind;
    findRunning(): { process: { pid: number }; port: number } | undefined;
    ensureRunning(options?: { mustKeepPort?: boolean }): Promise<number>;
    stop(): Promise<void>;
    kill(): void;
  }
  export interface StoreKind {
    name: string;
    url(port: number): string;
  }
}

declare module '*/deploy/local/stores/postgres.mjs' {
  import type { StoreKind } from '*/deploy/local/stores/private-store.mjs';
  export function describePostgres(
    home: string,
    options: { isDurable: boolean; settings?: Record<string, string | number> },
  ): StoreKind;
}

declare module '*/deploy/local/stores/postgres-folder.mjs' {
  export function ensurePostgresFolder(home: string): string;
}

declare module '*/deploy/local/stores/redis.mjs' {
  import type { StoreKind } from '*/deploy/local/stores/private-store.mjs';
  export function describeRedis(home: string, logStep: (label: string, text: string) => void): StoreKind;
}

declare module '*/deploy/local/paths.mjs' {
  export function resolveInRepository(...parts: string[]): string;
  export function ensureFolder(...parts: string[]): string;
}
