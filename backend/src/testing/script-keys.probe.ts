import type { Redis } from 'ioredis';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { listPrimaries } from '../platform/redis/redis-nodes.functions';

const COMMANDS_WITH_KEYS_ONLY: ReadonlySet<string> = new Set(['del', 'unlink', 'exists']);
const COMMANDS_WITHOUT_KEYS: ReadonlySet<string> = new Set(['time']);

/**
 * Observes what scripts do on all primaries of a cluster. Redis allows a script to access keys of another slot that
 * happens to be on the same node.
 * @returns `stop` ends it and returns accesses to keys without the hash tag of the script's first key.
 */
export const watchScriptKeys = async (redis: RedisClient): Promise<{ stop(): string[] }> => {
  const violations = new Set<string>();
  const monitors = await Promise.all(listPrimaries(redis).map((primary) => primary.monitor()));
  for (const monitor of monitors) {
    monitor.on('error', () => undefined); // a test may end a primary
    observe(monitor, violations);
  }
  return {
    stop: () => {
      for (const monitor of monitors) monitor.disconnect();
      return [...violations];
    },
  };
};

/** Redis reports a script first, then its commands. */
const observe = (monitor: Redis, violations: Set<string>): void => {
  let tag: string | undefined;
  monitor.on('monitor', (_time: string, [name = '', ...parameters]: string[], source: string) => {
    const command = name.toLowerCase();
    if (source !== 'lua') {
      if (/^(eval|evalsha)$/.test(command)) tag = findHashTag(parameters[2] ?? '');
      return;
    }
    for (const key of listKeys(command, parameters)) {
      if (findHashTag(key) !== tag) violations.add(`${command} ${key} in a script for ${tag}`);
    }
  });
};

const listKeys = (command: string, parameters: readonly string[]): readonly string[] => {
  if (COMMANDS_WITHOUT_KEYS.has(command)) return [];
  if (command === 'memory') return parameters.slice(1, 2);
  return COMMANDS_WITH_KEYS_ONLY.has(command) ? parameters : parameters.slice(0, 1);
};

const findHashTag = (key: string): string => /\{([^}]+)\}/.exec(key)?.[1] ?? key;
