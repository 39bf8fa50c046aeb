import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { logWarning } from '../observability/warn-about.functions';
import { ProcessEventsService } from '../process-events/process-events.service';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { leaseKeys } from '../redis/redis.keys';
import {
  findDeadScript,
  findExpiredScript,
  releaseScript,
  type RenewReply,
  renewScript,
} from './replica-lease.scripts';

const RENEW_EVERY_MS = 1_000;
/** Duration of a lease: four renewals, so that a replica with a lost or late renewal does not count as dead. */
const LEASE_MS = 4_000;
/** A longer interval between two renewals means that Redis was unavailable or this process was suspended. */
const LATE_RENEWAL_MS = 2_500;
/** Maximum number of replicas per call; Lua unpacks its arguments onto a stack of 8,000 entries. */
const REPLICAS_PER_CALL = 500;

/** The keys of the lease scripts, in their order. */
const KEYS = [leaseKeys.live, leaseKeys.names, leaseKeys.expired, leaseKeys.epoch];

/** Replicas without a live lease. */
export interface DeadReplicas {
  /** When the check was made (ms, clock of Redis). */
  foundAtMs: number;
  replicaIds: readonly string[];
}

interface RenewalCircumstances {
  hadNoLease: boolean;
  isFirst: boolean;
  isLate: boolean;
}

/**
 * This replica's lease in Redis, which shows other replicas that it is alive. The lease is renewed every second and
 * expires four seconds after the last renewal. Other replicas then evict this replica's records (sockets, places in the
 * queue); such a periodic clean-up is a sweep. Replicas never read the list of all replicas: a renewal costs O(log N),
 * and sweeps only read expired leases (docs/decisions/0020-one-socket-directory.md).
 */
@Injectable()
export class ReplicaLeaseService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ReplicaLeaseService.name);
  /** How often the lease lapsed, that is, expired while this process was running. */
  lapseCount = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Identifies the set of live replicas to which `rank` and `liveCount` refer. */
  private epoch = '';
  /** Position of this replica among the live replicas, by name, from 0. */
  private rank = 0;
  private liveCount = 0;
  /** When sweeps may start (ms, clock of this process); undefined before the first renewal. */
  private sweepsAllowedFrom: number | undefined;
  /** When the last successful renewal was sent (ms, clock of this process). */
  private renewedAt = 0;
  private isRenewing = false;
  /** Cached result of `findExpired`, until the next renewal. */
  private expiredReplicas: Promise<DeadReplicas> | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly events: ProcessEventsService,
  ) {}

  get replicaId(): string {
    return this.environment.replicaId;
  }

  /**
   * Whether a replica without a lease may be considered dead. After an outage of Redis all leases have expired, and the
   * first replica to renew its own must not evict the others: it waits until they have had time to renew theirs.
   */
  get maySweep(): boolean {
    const now = Date.now();
    const isLeaseLive = now - this.renewedAt < LEASE_MS;
    return isLeaseLive && this.sweepsAllowedFrom !== undefined && now >= this.sweepsAllowedFrom;
  }

  /**
   * Divides `count` parts of a sweep among the live replicas, by rank.
   * @returns the indices of the parts that this replica sweeps; none before the first renewal.
   */
  getAssignedParts(count: number): number[] {
    const parts: number[] = [];
    if (this.liveCount === 0) return parts;
    for (let part = this.rank; part < count; part += this.liveCount) parts.push(part);
    return parts;
  }

  async onModuleInit(): Promise<void> {
    await this.renew();
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Releases the lease, so that other replicas need not wait until it expires. @throws errors of Redis. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    await releaseScript.run(this.redis, KEYS, [this.replicaId]);
  }

  /**
   * Returns the replicas whose lease was found expired within the last minute (`EXPIRED_KEPT_MS` of the scripts). Reads
   * them once per renewal.
   * @throws errors of Redis.
   */
  findExpired(): Promise<DeadReplicas> {
    this.expiredReplicas ??= findExpiredScript
      .run(this.redis, KEYS, [])
      .then(([foundAtMs, ...replicaIds]) => ({ foundAtMs, replicaIds }));
    return this.expiredReplicas;
  }

  /**
   * Returns those of the replicas that have no live lease. `foundAtMs` is the time of the earliest check; without
   * replicas it is Infinity.
   * @throws errors of Redis.
   */
  async findDeadAmong(replicaIds: readonly string[]): Promise<DeadReplicas> {
    const dead: string[] = [];
    let foundAtMs = Infinity;
    for (let start = 0; start < replicaIds.length; start += REPLICAS_PER_CALL) {
      const page = replicaIds.slice(start, start + REPLICAS_PER_CALL);
      const [nowMs, ...deadOfPage] = await findDeadScript.run(this.redis, [leaseKeys.live], page);
      foundAtMs = Math.min(foundAtMs, nowMs);
      dead.push(...deadOfPage);
    }
    return { foundAtMs, replicaIds: dead };
  }

  private async renew(): Promise<void> {
    if (this.isRenewing) return;
    this.isRenewing = true;
    const sentAt = Date.now();
    this.expiredReplicas = undefined;
    try {
      const reply = await renewScript.run(this.redis, KEYS, [this.replicaId, LEASE_MS, this.epoch]);
      this.applyRenewal(sentAt, reply);
    } catch (error) {
      logWarning(this.logger, 'The lease was not renewed', error);
    } finally {
      this.isRenewing = false;
    }
  }

  private applyRenewal(sentAt: number, reply: RenewReply): void {
    const hadNoLease = reply[0] === 1; // the lease had expired, or did not exist yet
    const isFirst = this.sweepsAllowedFrom === undefined;
    const isLate = !isFirst && sentAt - this.renewedAt > LATE_RENEWAL_MS;
    this.renewedAt = sentAt;
    // The long reply means that the set of live replicas has changed since the last renewal.
    if (reply.length === 4) {
      const [, epoch, rank, liveCount] = reply;
      this.epoch = epoch ?? '';
      this.rank = rank;
      this.liveCount = liveCount;
    }
    const sweepDelayMs = this.findSweepDelayMs({ hadNoLease, isFirst, isLate });
    if (sweepDelayMs !== undefined)
      this.sweepsAllowedFrom = Math.max(this.sweepsAllowedFrom ?? 0, Date.now() + sweepDelayMs);
    if (hadNoLease && !isFirst) {
      this.logger.warn('The lease had expired; sockets are recorded again');
      this.lapseCount += 1;
      this.events.publish('LeaseLapsed', {});
    }
    this.events.publish('LeaseRenewed', {});
  }

  /** How long sweeps have to wait after a renewal; undefined if the renewal does not postpone them. */
  private findSweepDelayMs({ hadNoLease, isFirst, isLate }: RenewalCircumstances): number | undefined {
    // A new replica that finds others has joined a running service, and sweeps its share immediately.
    if (isFirst && this.liveCount > 1) return 0;
    // All leases may have expired, and the other replicas need time to renew theirs. The first renewal may find a lease
    // of this replica: if the response to an earlier call was lost, this call counts as the first.
    if (hadNoLease || isFirst) return LEASE_MS + RENEW_EVERY_MS;
    // The renewals of the other replicas may be late, too.
    if (isLate) return 2 * RENEW_EVERY_MS;
    return undefined;
  }
}
