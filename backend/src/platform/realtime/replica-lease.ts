import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { ProcessEvents } from '../process-events/process-events';
import { REDIS } from '../redis/redis.module';
import { RedisScript } from '../redis/redis-script';
import { matchingKeys } from '../redis/redis-keys';

const RENEW_EVERY_MS = 1_000;
const LEASE_MS = 4_000;

/**
 * KEYS: leases. ARGV: replica, lease ms.
 * Answers whether the lease had run out, and the live replicas by name.
 */
const renewLease = new RedisScript<[number, ...string[]]>(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
local lapsed = (not score or tonumber(score) <= now) and 1 or 0
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
local live = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
table.sort(live)
return {lapsed, unpack(live)}
`);

/** This replica's claim to be alive: renewed every second, gone after four. What it recorded counts that long. */
@Injectable()
export class ReplicaLease implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ReplicaLease.name);
  private timer: NodeJS.Timeout | undefined;
  private live: readonly string[] = [];
  private sweepsFrom: number | undefined;
  /** When the renewal that `live` comes from was asked for. */
  private renewedAt = 0;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly events: ProcessEvents,
  ) {}

  get replicaId(): string {
    return this.environment.replicaId;
  }

  /** The replicas whose lease lived at the last renewal, sorted. */
  get liveReplicas(): readonly string[] {
    return this.live;
  }

  /**
   * Whether a replica that is missing in the list is a dead one. After an outage of Redis every lease has run out,
   * and the first to renew must not bury the others: it waits for as long as a lease lasts.
   */
  get maySweep(): boolean {
    const now = Date.now();
    // A list that is older, because this process was stopped in between, knows nothing of who came since.
    const isListFresh = now - this.renewedAt < RENEW_EVERY_MS;
    return isListFresh && this.sweepsFrom !== undefined && now >= this.sweepsFrom;
  }

  async onModuleInit(): Promise<void> {
    await this.renew();
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Gives the lease up, so that others need not wait for it to run out. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.redis.zrem(matchingKeys.leases, this.replicaId);
  }

  private async renew(): Promise<void> {
    const askedAt = Date.now();
    try {
      const [lapsed, ...live] = await renewLease.run(
        this.redis,
        [matchingKeys.leases],
        [this.replicaId, LEASE_MS],
      );
      this.live = live;
      this.renewedAt = askedAt;
      const hadRunOut = lapsed === 1 && this.sweepsFrom !== undefined;
      if (lapsed === 1) {
        // A new replica that meets others has come into a running service, and takes its share at once.
        const isNewcomer = !hadRunOut && live.length > 1;
        this.sweepsFrom = Date.now() + (isNewcomer ? 0 : LEASE_MS + RENEW_EVERY_MS);
      }
      if (hadRunOut) {
        this.logger.warn('The lease had run out; recording sockets again');
        this.events.publish('LeaseLapsed', {});
      }
      this.events.publish('LeaseRenewed', {});
    } catch (error) {
      this.logger.warn(`The lease was not renewed: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
}
