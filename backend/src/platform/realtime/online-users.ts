import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { OnProcessEvent } from '../process-events/process-event.decorators';
import type { ProcessEventMap } from '../process-events/process-event-map';
import { ProcessEvents } from '../process-events/process-events';
import { REDIS } from '../redis/redis.module';
import { PRESENCE_PARTS, presenceKeys, presencePartOf, userChannel } from '../redis/redis-keys';
import { enterScript, leaveScript, sweepScript, tellScript } from './online-users.scripts';
import { PacedBatches } from './paced-batches';
import { ReplicaLease } from './replica-lease';
import { SocketRegistry } from './socket-registry';
import type { UserChannelMessage } from './user-channels';

/** A page that reloads is back by then. */
const GRACE_AFTER_CLEAN_CLOSE_MS = 2_000;
/** A client that lost its replica tries again after a second; friends are still told within five. */
const GRACE_AFTER_LOSS_MS = 3_000;
const FRIENDS_AT_ONCE = 500;
/** Changes are gathered this long, so that many arrivals are announced with one query. */
const ANNOUNCE_EVERY_MS = 50;

/**
 * Who is online: whose sockets a live replica holds, and for a moment after. Recorded in Redis per user and replica, it
 * counts while the replica's lease lives, and what a dead replica leaves is swept by the others, each its share.
 */
@Injectable()
export class OnlineUsers {
  private readonly logger = new Logger(OnlineUsers.name);
  /** The users whom Redis knows to be here. */
  private readonly recorded = new Set<number>();
  /** The users about whom Redis is being told, or has to be told yet, and how long they have after they are gone. */
  private readonly unsettled = new Map<number, { graceMs: number; isBusy: boolean }>();
  /** Users whose change is to be announced; their state is looked up then, so that each is there once. */
  private readonly changes = new PacedBatches<number>(ANNOUNCE_EVERY_MS, (userIds) => this.notify(userIds));
  private isSweeping = false;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly registry: SocketRegistry,
    private readonly lease: ReplicaLease,
    private readonly events: ProcessEvents,
  ) {}

  @OnProcessEvent('SocketOpened')
  async recordOpened({ connection }: ProcessEventMap['SocketOpened']): Promise<void> {
    await this.settle(connection.identity.userId, GRACE_AFTER_CLEAN_CLOSE_MS);
  }

  @OnProcessEvent('SocketClosed')
  async recordClosed({ connection, closure }: ProcessEventMap['SocketClosed']): Promise<void> {
    if (!closure.wasLastOfUser) return;
    const graceMs = closure.isClean ? GRACE_AFTER_CLEAN_CLOSE_MS : GRACE_AFTER_LOSS_MS;
    await this.settle(connection.identity.userId, graceMs);
  }

  @OnProcessEvent('LeaseRenewed')
  async settleAndSweep(): Promise<void> {
    this.settleLate();
    await this.sweep();
  }

  /** Those of the users who are online; nobody while Redis is away, since lists of people need it for nothing else. */
  async among(userIds: readonly number[]): Promise<ReadonlySet<number>> {
    if (userIds.length === 0) return new Set();
    const pipeline = this.redis.pipeline();
    for (const userId of userIds) pipeline.sismember(presenceKeys(presencePartOf(userId)).online, userId);
    try {
      const replies = (await pipeline.exec()) ?? [];
      return new Set(userIds.filter((_, index) => replies[index]?.[1] === 1));
    } catch {
      return new Set();
    }
  }

  /** Sends `presence` to all sockets of others, as it is at that moment. A hint: it may be lost. */
  async tell(userId: number, otherIds: readonly number[]): Promise<void> {
    const keys = presenceKeys(presencePartOf(userId));
    const message = (isOnline: boolean): string => {
      const frame = JSON.stringify({ event: 'presence', data: { userId, isOnline } });
      return JSON.stringify({ kind: 'frame', frame } satisfies UserChannelMessage);
    };
    for (let start = 0; start < otherIds.length; start += FRIENDS_AT_ONCE) {
      const channels = otherIds.slice(start, start + FRIENDS_AT_ONCE).map(userChannel);
      await tellScript.run(
        this.redis,
        [keys.online],
        [keys.prefix, userId, message(true), message(false), ...channels],
      );
    }
  }

  /** Tells Redis how things stand with a user here, until it is told the truth; one call of his at a time. */
  private async settle(userId: number, graceMs: number): Promise<void> {
    const present = this.unsettled.get(userId);
    if (present?.isBusy) {
      present.graceMs = graceMs;
      return;
    }
    const state = { graceMs, isBusy: true };
    this.unsettled.set(userId, state);
    try {
      let isHere = this.registry.holds(userId);
      while (isHere !== this.recorded.has(userId)) {
        if (isHere) await this.enter(userId);
        else await this.leave(userId, state.graceMs);
        isHere = this.registry.holds(userId);
      }
      this.unsettled.delete(userId);
    } catch (error) {
      state.isBusy = false; // told at the next renewal of the lease
      this.warn('Presence was not recorded', error);
    }
  }

  private async enter(userId: number): Promise<void> {
    const keys = presenceKeys(presencePartOf(userId));
    const cameOnline = await enterScript.run(
      this.redis,
      [keys.online],
      [keys.prefix, userId, this.lease.replicaId],
    );
    this.recorded.add(userId);
    if (cameOnline === 1) this.announce([userId]);
  }

  private async leave(userId: number, graceMs: number): Promise<void> {
    const keys = presenceKeys(presencePartOf(userId));
    await leaveScript.run(this.redis, [keys.online], [keys.prefix, userId, this.lease.replicaId, graceMs]);
    this.recorded.delete(userId);
  }

  private settleLate(): void {
    for (const [userId, { graceMs, isBusy }] of this.unsettled)
      if (!isBusy) void this.settle(userId, graceMs);
  }

  /** What this replica recorded was swept, or lost with Redis. */
  @OnProcessEvent('LeaseLapsed')
  recordAgain(): void {
    this.recorded.clear();
    for (const userId of this.registry.userIds) void this.settle(userId, GRACE_AFTER_LOSS_MS);
  }

  /** Every second, this replica's share of the parts. */
  private async sweep(): Promise<void> {
    const live = this.lease.liveReplicas;
    const share = live.indexOf(this.lease.replicaId);
    if (this.isSweeping || share === -1) return;
    this.isSweeping = true;
    try {
      const mayBury = this.lease.maySweep ? 1 : 0;
      const parts = Array.from({ length: PRESENCE_PARTS }, (_, part) => part);
      const calls = parts
        .filter((part) => part % live.length === share)
        .map((part) => {
          const { online, prefix } = presenceKeys(part);
          return { keys: [online], parameters: [prefix, GRACE_AFTER_LOSS_MS, mayBury, ...live] };
        });
      const gone = await sweepScript.runAll(this.redis, calls);
      this.announce(gone.flat().map(Number));
    } catch (error) {
      this.warn('Presence was not swept', error);
    } finally {
      this.isSweeping = false;
    }
  }

  private announce(userIds: readonly number[]): void {
    for (const userId of userIds) void this.changes.add(userId);
  }

  private async notify(userIds: readonly number[]): Promise<void> {
    try {
      await this.events.deliver('OnlineChanged', { userIds });
    } catch (error) {
      this.warn('Presence was not announced', error);
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}: ${error instanceof Error ? error.message : 'unknown'}`);
  }
}
