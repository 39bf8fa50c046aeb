import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModulesContainer } from '@nestjs/core';
import { Redis } from 'ioredis';
import { ChatLogRepository, type StreamEnd } from '../../src/platform/hot-log/chat-log.repository';
import { ProcessEventsService } from '../../src/platform/process-events/process-events.service';
import { findShard, chatKeys } from '../../src/platform/redis/redis.keys';
import { partnerWaved } from './source-changes';

/**
 * Appends waves to live chats, through the product's `ChatLogRepository`. A wave is an event of the type
 * `PartnerWaved`, which this release does not know: only the next release of the test (`partnerWavedChanges`) has it.
 */
export class WaveSource {
  /** Ids of the appended waves, by session. */
  readonly waveIds = new Map<string, string[]>();
  private readonly redis: Redis;
  private readonly log: ChatLogRepository;
  private readonly loops: Promise<void>[] = [];
  private isStopping = false;

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl);
    // The container has no modules, so nothing reacts to process events.
    this.log = new ChatLogRepository(this.redis, new ProcessEventsService(new ModulesContainer()));
  }

  /** Appends a wave to each session every `everyMs`, until `stop`. */
  start(sessionIds: readonly string[], everyMs: number): void {
    for (const sessionId of sessionIds) this.loops.push(this.keepWaving(sessionId, everyMs));
  }

  /** Resolves when the last wave is appended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.loops);
  }

  close(): void {
    this.redis.disconnect();
  }

  countWaves(sessionId: string): number {
    return this.waveIds.get(sessionId)?.length ?? 0;
  }

  private async keepWaving(sessionId: string, everyMs: number): Promise<void> {
    while (!this.isStopping) {
      await this.appendWave(sessionId);
      await sleep(everyMs);
    }
  }

  /** Appends one wave. When another event was appended first, tries again. */
  private async appendWave(sessionId: string): Promise<void> {
    // The form of an event in the stream of a chat: id, type and data.
    const text = JSON.stringify({ i: randomUUID(), t: partnerWaved.type, d: { userId: 0 } });
    let expectedEnd = await this.readEnd(sessionId);
    for (;;) {
      const result = await this.log.append(sessionId, expectedEnd, [text]);
      if (result.kind === 'appended') {
        this.waveIds.set(sessionId, [...(this.waveIds.get(sessionId) ?? []), ...result.ids]);
        return;
      }
      if (result.kind !== 'behind') throw new Error(`A wave was refused: ${result.kind}`);
      // Another writer has appended the missed entries; the next attempt appends after them.
      expectedEnd = { version: result.version, lastId: result.missed.at(-1)?.id ?? '' };
    }
  }

  private async readEnd(sessionId: string): Promise<StreamEnd> {
    const stream = chatKeys(findShard(sessionId)).stream(sessionId);
    const replies = await this.redis.multi().xlen(stream).xrevrange(stream, '+', '-', 'COUNT', 1).exec();
    // A reply is a pair of an error and a result.
    const [entryCount, last] = (replies ?? []).map(([, reply]) => reply) as [number, [string, string[]][]];
    return { version: entryCount, lastId: last[0]?.[0] ?? '' };
  }
}
