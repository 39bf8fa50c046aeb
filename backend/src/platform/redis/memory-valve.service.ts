import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import { MetricsRegistry } from '../observability/metrics.registry';
import type { RedisClient } from './redis-connection.factory';
import { listPrimaries } from './redis-nodes.functions';
import { REDIS } from './redis.module';

const READ_EVERY_MS = 1_000;
/** Used shares of `maxmemory`. They differ, because otherwise single messages would open and close the valve. */
const CLOSES_AT = 0.7;
const OPENS_AT = 0.6;

/**
 * Keeps Redis from filling up. While the valve is closed, operations that add data (new chats, new messages) are
 * refused. That leaves memory for the operations that must not fail: ending chats, renewing the leases of replicas, and
 * copying the outboxes (the events that are only in Redis yet) to PostgreSQL.
 */
@Injectable()
export class MemoryValveService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MemoryValveService.name);
  private isClosed = false;
  /** The used share of the `maxmemory` of the fullest primary, at the latest reading. */
  private usedShare = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    metrics: MetricsRegistry,
  ) {
    metrics.addLiveGauge(
      'thaw_redis_memory_used_ratio',
      'Used share of the maxmemory of the fullest Redis primary',
      () => this.usedShare,
    );
    metrics.addLiveGauge('thaw_memory_valve_closed', '1 while new chats and messages are refused', () =>
      Number(this.isClosed),
    );
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.update(), READ_EVERY_MS).unref();
    void this.update();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  get isOpen(): boolean {
    return !this.isClosed;
  }

  /**
   * Whether the valve of another process may be closed. That process may have measured a peak that this one missed, and
   * its valve then stays closed until the share has fallen to `OPENS_AT`.
   */
  get mayBeClosedElsewhere(): boolean {
    return this.usedShare > OPENS_AT;
  }

  /**
   * Call this before storing anything in Redis that a user could send again later.
   * @throws DomainError `unavailable` while the valve is closed.
   */
  requireOpen(): void {
    if (this.isClosed) throw new DomainError('unavailable');
  }

  /** Reads INFO of every primary and sets the valve. If a primary does not respond, the valve keeps its state. */
  async update(): Promise<void> {
    try {
      const shares = await Promise.all(
        listPrimaries(this.redis).map(async (node) => computeUsedShare(await node.info('memory'))),
      );
      this.usedShare = Math.max(0, ...shares);
      this.setClosed(this.isClosed ? this.usedShare > OPENS_AT : this.usedShare >= CLOSES_AT);
    } catch {
      // Redis is unavailable; every command reports that on its own.
    }
  }

  private setClosed(isClosed: boolean): void {
    if (isClosed === this.isClosed) return;
    this.isClosed = isClosed;
    const used = `${Math.round(this.usedShare * 100)} % of maxmemory`;
    if (isClosed) this.logger.error(`Redis uses ${used}: new chats and messages are refused`);
    else this.logger.log(`Redis uses ${used}: new chats and messages are accepted again`);
  }
}

/**
 * @param info the `memory` section of INFO.
 * @returns the used share of `maxmemory`; 0 if `maxmemory` is not set. Memory that Redis does not count when it decides
 * whether to refuse a write (`mem_not_counted_for_evict`) is not counted here either.
 */
export const computeUsedShare = (info: string): number => {
  const readFigure = (name: string): number =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const maxBytes = readFigure('maxmemory');
  if (maxBytes === 0) return 0;
  return (readFigure('used_memory') - readFigure('mem_not_counted_for_evict')) / maxBytes;
};
