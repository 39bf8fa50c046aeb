import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModulesContainer } from '@nestjs/core';
import { Redis } from 'ioredis';
import { ChatLogRepository, type StreamEnd } from '../../src/platform/hot-log/chat-log.repository';
import { ProcessEventsService } from '../../src/platform/process-events/process-events.service';
import { findShard, chatKeys } from '../../src/platform/redis/redis.keys';
import { partnerWaved } from './source-changes';

/** Appends events that only the next release knows to live chats, with the product's own append. */
export class WaveSource {
  /** Ids of the appended events, by session. */
  readonly waves = new Map<string, string[]>();
  private readonly redis: Redis;
  private readonly log: ChatLogRepository;
  private readonly loops: Promise<void>[] = [];
  private isOver = false;

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl);
    this.log = new ChatLogRepository(this.redis, new ProcessEventsService(new ModulesContainer()));
  }

  /** Starts appending a wave to every session each `everyMs`. */
  start(sessionIds: readonly string[], everyMs: number): void {
    for (const sessionId of sessionIds) this.loops.push(this.keepWaving(sessionId, everyMs));
  }

  /** Resolves when the last wave is appended. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  close(): void {
    this.redis.disconnect();
  }

  countWaves(sessionId: string): number {
    return this.waves.get(sessionId)?.length ?? 0;
  }

  private async keepWaving(sessionId: string, everyMs: number): Promise<void> {
    while (!this.isOver) {
      await this.appendWave(sessionId);
      await sleep(everyMs);
    }
  }

  private async appendWave(sessionId: string): Promise<void> {
    const text = JSON.stringify({ i: randomUUID(), t: partnerWaved.type, d: { userId: 0 } });
    let expected = await this.readEnd(sessionId);
    for (;;) {
      const result = await this.log.append(sessionId, expected, [text]);
      if (result.kind === 'appended') {
        this.waves.set(sessionId, [...(this.waves.get(sessionId) ?? []), ...result.ids]);
        return;
      }
      if (result.kind !== 'behind') throw new Error(`A wave was refused: ${result.kind}`);
      expected = { version: result.version, lastId: result.missed.at(-1)?.id ?? '' };
    }
  }

  private async readEnd(sessionId: string): Promise<StreamEnd> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const replies = await this.redis.multi().xlen(stream).xrevrange(stream, '+', '-', 'COUNT', 1).exec();
    const [version, last] = (replies ?? []).map(([, reply]) => reply) as [number, [string, string[]][]];
    return { version, lastId: last[0]?.[0] ?? '' };
  }
}
