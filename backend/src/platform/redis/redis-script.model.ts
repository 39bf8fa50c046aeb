import { createHash } from 'node:crypto';
import { Command } from 'ioredis';
import type { RedisClient } from './redis-connection.factory';
import { openBatch } from './redis-nodes.functions';
import { buildAbsentKey } from './redis.keys';

type BatchReply = [error: Error | null, result: unknown];

/** KEYS and ARGV of one call. */
export interface ScriptCall {
  keys: readonly string[];
  parameters: readonly (string | number)[];
}

/**
 * A Lua script, called by its hash. Its source is constant: user data is only passed in KEYS and ARGV.
 *
 * Each call has one more key, which never exists. Because of it, Redis refuses the scripts of a hash slot while a
 * cluster moves the slot to another node: it answers TRYAGAIN to calls of which a key is missing. Otherwise a script
 * could run with only part of its keys, or fail between two writes
 * (docs/decisions/0074-scripts-wait-while-their-slot-moves.md).
 */
export class RedisScript<Reply> {
  private readonly source: string;
  private readonly sha: string;

  /**
   * @param source Lua code. All keys that it accesses are in KEYS or begin with the hash tag of KEYS[1].
   * @param options.allowOom whether the script also runs while Redis is out of memory. Use it only for scripts that
   * free memory, or that must not fail meanwhile, such as the renewal of a lease.
   */
  constructor(source: string, { allowOom = false }: { allowOom?: boolean } = {}) {
    this.source = allowOom ? `#!lua flags=allow-oom\n${source}` : source;
    this.sha = createHash('sha1').update(this.source).digest('hex');
  }

  /**
   * Runs the script many times in one batch; each call may be in another slot.
   * @returns the result of each call, in order.
   * @throws Error if the whole batch fails. The error of a single call is in its result.
   */
  async runEach(redis: RedisClient, calls: readonly ScriptCall[]): Promise<PromiseSettledResult<Reply>[]> {
    const batch = openBatch(redis);
    for (const call of calls) batch.evalsha(this.sha, ...toArguments(call));
    const replies = (await batch.exec()) ?? []; // null is the reply of an aborted transaction only
    await this.repeatUnknownCalls(redis, calls, replies);
    return replies.map(([error, reply]) =>
      error ? { status: 'rejected', reason: error } : { status: 'fulfilled', value: reply as Reply },
    );
  }

  /**
   * Like `runEach`, but returns plain replies.
   * @throws the error of the first call that failed. Other calls may have succeeded.
   */
  async runAll(redis: RedisClient, calls: readonly ScriptCall[]): Promise<Reply[]> {
    return (await this.runEach(redis, calls)).map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /**
   * Runs the script once.
   * @throws errors of Redis.
   */
  async run(
    redis: RedisClient,
    keys: readonly string[],
    parameters: readonly (string | number)[],
  ): Promise<Reply> {
    try {
      return (await redis.sendCommand(this.buildCommand(keys, parameters))) as Reply;
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return (await redis.eval(this.source, ...toArguments({ keys, parameters }))) as Reply;
    }
  }

  /** Builds the command directly, because `redis.evalsha` copies its arguments, which costs CPU in every call. */
  private buildCommand(keys: readonly string[], parameters: readonly (string | number)[]): Command {
    const command = new Command('evalsha', [], { replyEncoding: 'utf8' });
    command.args = [this.sha, String(keys.length + 1), ...keys, buildAbsentKey(keys)];
    for (const parameter of parameters) command.args.push(String(parameter));
    return command;
  }

  /**
   * Repeats the calls whose server does not know the script yet, with the source instead of the hash.
   * @param replies the replies to all calls; those to the repeated calls are replaced.
   */
  private async repeatUnknownCalls(
    redis: RedisClient,
    calls: readonly ScriptCall[],
    replies: BatchReply[],
  ): Promise<void> {
    const unknownCalls = calls
      .map((call, index) => ({ call, index }))
      .filter(({ index }) => isUnknownScript(replies[index]?.[0]));
    if (unknownCalls.length === 0) return;
    const batch = openBatch(redis);
    for (const { call } of unknownCalls) batch.eval(this.source, ...toArguments(call));
    const newReplies = (await batch.exec()) ?? [];
    for (const [position, { index }] of unknownCalls.entries()) {
      const newReply = newReplies[position];
      if (newReply) replies[index] = newReply;
    }
  }
}

/** Whether Redis refused a call because the server does not know the script with this hash. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT');

const toArguments = ({ keys, parameters }: ScriptCall): [keyCount: number, ...(string | number)[]] => [
  keys.length + 1,
  ...keys,
  buildAbsentKey(keys),
  ...parameters,
];
