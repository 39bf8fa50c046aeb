import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A constant Lua script, sent by its hash; user data goes in as arguments only. */
export class RedisScript<Reply> {
  private readonly sha: string;

  constructor(private readonly source: string) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], parameters: readonly (string | number)[]): Promise<Reply> {
    try {
      return (await redis.evalsha(this.sha, keys.length, ...keys, ...parameters)) as Reply;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await redis.eval(this.source, keys.length, ...keys, ...parameters)) as Reply;
    }
  }
}
