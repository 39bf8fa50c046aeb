import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { limits } from '@thaw/contract/limits';
import { warnAbout } from '../observability/warn-about';
import { OnProcessEvent } from '../process-events/process-event.decorators';
import type { ProcessEventMap } from '../process-events/process-event-map';
import { ProcessEvents } from '../process-events/process-events';
import { REDIS } from '../redis/redis.module';
import { PRESENCE_PARTS, presenceKeys, presencePartOf, userChannel } from '../redis/redis-keys';
import {
  type EnterReply,
  enterScript,
  leaveScript,
  publishPresenceScript,
  sweepScript,
} from './online-users.scripts';
import { PacedBatches } from './paced-batches';
import { ReplicaLease } from './replica-lease';
import { SocketDirectory } from './socket-directory';
import { UserChannels, type UserChannelMessage } from './user-channels';

/** A page that reloads is back by then. */
const GRACE_AFTER_CLEAN_CLOSE_MS = 2_000;
/** A client that lost its replica tries again after a second; friends are still told within five. */
const GRACE_AFTER_LOSS_MS = 3_000;
const FRIENDS_AT_ONCE = 500;
/** Changes are gathered this long, so that many arrivals are announced with one query. */
const ANNOUNCE_EVERY_MS = 50;

/**
 * The sockets of all users, over all replicas: a user is online while a live replica holds one, and for a moment
 * after. Closes the oldest sockets of a user who has too many.
 */
@Injectable()
export class OnlineUsers {
  private readonly logger = new Logger(OnlineUsers.name);
  private readonly directory: SocketDirectory<EnterReply>;
  /** Users whose change is to be announced; their state is looked up then, so that each is there once. */
  private readonly changes = new PacedBatches<number>(ANNOUNCE_EVERY_MS, (userIds) => this.notify(userIds));

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly lease: ReplicaLease,
    private readonly userChannels: UserChannels,
    private readonly events: ProcessEvents,
  ) {
    this.directory = new SocketDirectory<EnterReply>({
      name: 'presence',
      redis,
      lease,
      slots: {
        count: PRESENCE_PARTS,
        prefix: (part) => presenceKeys(part).prefix,
        of: (userId) => presencePartOf(Number(userId)),
      },
      scripts: { enter: enterScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: GRACE_AFTER_LOSS_MS,
      onEntered: (userId, _socketId, [cameOnline, ...sockets]) => {
        if (cameOnline === 1) this.announce([Number(userId)]);
        if (sockets.length > 0) void this.closeSurplus(Number(userId), sockets);
      },
    });
  }

  @OnProcessEvent('SocketOpened')
  async recordOpened({ connection }: ProcessEventMap['SocketOpened']): Promise<void> {
    const parameters = [Date.now(), limits.socketsPerUser];
    await this.directory.record(String(connection.identity.userId), connection.id, parameters);
  }

  @OnProcessEvent('SocketClosed')
  async recordClosed({ connection, closure }: ProcessEventMap['SocketClosed']): Promise<void> {
    const graceMs = closure.isClean ? GRACE_AFTER_CLEAN_CLOSE_MS : GRACE_AFTER_LOSS_MS;
    await this.directory.leave(String(connection.identity.userId), connection.id, graceMs);
  }

  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async recheck(): Promise<void> {
    await this.directory.recheck();
  }

  @OnProcessEvent('LeaseRenewed')
  async tend(): Promise<void> {
    const [gone] = await Promise.all([this.directory.sweep(this.lease.maySweep), this.directory.tend()]);
    this.announce(gone.map(Number));
  }

  /** @returns those of the users who are online; none while Redis is away, since lists of users do not depend on it. */
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

  /** Sends `presence` to all sockets of other users, as it is at that moment. A hint: it may be lost. */
  async tell(userId: number, otherIds: readonly number[]): Promise<void> {
    const { online } = presenceKeys(presencePartOf(userId));
    const message = (isOnline: boolean): string => {
      const frame = JSON.stringify({ event: 'presence', data: { userId, isOnline } });
      return JSON.stringify({ kind: 'frame', frame } satisfies UserChannelMessage);
    };
    for (let start = 0; start < otherIds.length; start += FRIENDS_AT_ONCE) {
      const channels = otherIds.slice(start, start + FRIENDS_AT_ONCE).map(userChannel);
      const parameters = [userId, message(true), message(false), ...channels];
      await publishPresenceScript.run(this.redis, [online], parameters);
    }
  }

  /**
   * Closes the oldest sockets of a user with too many, on whichever replica. Sockets of dead replicas do not count.
   * @param sockets socket id and `<replica id>|<time of opening>` in turn.
   */
  private async closeSurplus(userId: number, sockets: readonly string[]): Promise<void> {
    const all = sockets.flatMap((socketId, index) => {
      if (index % 2 === 1) return [];
      const [replicaId = '', openedAt] = (sockets[index + 1] ?? '').split('|');
      return [{ socketId, replicaId, openedAt: Number(openedAt) }];
    });
    try {
      const dead = await this.lease.deadAmong([...new Set(all.map(({ replicaId }) => replicaId))]);
      const live = all.filter(({ replicaId }) => !dead.replicaIds.includes(replicaId));
      live.sort((one, other) => one.openedAt - other.openedAt);
      for (const { socketId } of live.slice(0, Math.max(0, live.length - limits.socketsPerUser)))
        await this.userChannels.publish(userId, { kind: 'close_socket', socketId });
    } catch (error) {
      warnAbout(this.logger, 'Surplus sockets were not closed', error); // they are at the user's next socket
    }
  }

  private announce(userIds: readonly number[]): void {
    for (const userId of userIds) void this.changes.add(userId);
  }

  private async notify(userIds: readonly number[]): Promise<void> {
    try {
      await this.events.deliver('OnlineChanged', { userIds });
    } catch (error) {
      warnAbout(this.logger, 'Presence was not announced', error);
    }
  }
}
