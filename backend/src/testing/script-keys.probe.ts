import type { Redis } from 'ioredis';
import type { RedisClient } from '../platform/redis/redis-connection.factory';
import { listPrimaries } from '../platform/redis/redis-nodes.functions';

/** Commands whose parameters are all keys. Of most other commands, only the first parameter is a key. */
const COMMANDS_WITH_KEYS_ONLY: ReadonlySet<string> = new Set(['del', 'unlink', 'exists']);
const COMMANDS_WITHOUT_KEYS: ReadonlySet<string> = new Set(['time']);

/**
 * Observes the commands of Lua scripts on all primaries of a cluster. A script must only access keys with the hash tag
 * of its first key, but Redis does not refuse other keys that happen to be on the same node.
 * @returns `stop` ends the observation and returns a description of each wrong access.
 */
export const watchScriptKeys = async (redis: RedisClient): Promise<{ stop(): string[] }> => {
  const violations = new Set<string>();
  const monitors = await Promise.all(listPrimaries(redis).map((primary) => primary.monitor()));
  for (const monitor of monitors) {
    monitor.on('error', () => undefined); // a test may stop a primary
    observe(monitor, violations);
  }
  return {
    stop: () => {
      for (const monitor of monitors) monitor.disconnect();
      return [...violations];
    },
  };
};

/** MONITOR reports the call of a script first, then the commands of the script with the source `lua`. */
const observe = (monitor: Redis, violations: Set<string>): void => {
  let scriptHashTag: string | undefined;
  monitor.on('monitor', (_time: string, [name = '', ...parameters]: string[], source: string) => {
    const command = name.toLowerCase();
    if (source !== 'lua') {
      // The parameters are the script, the number of keys, and the keys.
      if (/^(eval|evalsha)$/.test(command)) scriptHashTag = findHashTag(parameters[2] ?? '');
      return;
    }
    for (const key of listKeys(command, parameters)) {
      if (findHashTag(key) !== scriptHashTag)
        violations.add(`${command} ${key} in a script for ${scriptHashTag}`);
    }
  });
};

const listKeys = (command: string, parameters: readonly string[]): readonly string[] => {
  if (COMMANDS_WITHOUT_KEYS.has(command)) return [];
  if (command === 'memory') return parameters.slice(1, 2); // MEMORY USAGE <key>
  return COMMANDS_WITH_KEYS_ONLY.has(command) ? parameters : parameters.slice(0, 1);
};

const findHashTag = (key: string): string => /\{([^}]+)\}/.exec(key)?.[1] ?? key;
