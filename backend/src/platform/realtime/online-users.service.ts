import { Inject, Injectable, Logger } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import { logWarning } from '../observability/warn-about.functions';
import { OnProcessEvent } from '../process-events/process-event.decorator';
import type { ProcessEventMap } from '../process-events/process-event-map.types';
import { ProcessEventsService } from '../process-events/process-events.service';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { openBatch } from '../redis/redis-nodes.functions';
import { PRESENCE_SHARD_COUNT, presenceKeys, findPresenceShard, userChannel } from '../redis/redis.keys';
import { type JoinReply, joinScript, leaveScript, sweepScript } from './online-users.scripts';
import { BatchingQueue } from './batching.queue';
import { ReplicaLeaseService } from './replica-lease.service';
import { SocketDirectoryRepository } from './socket-directory.repository';
import { UserPublisherService, type UserChannelMessage } from './user-publisher.service';

/** How long a user stays online after their last socket was closed with a close frame: enough for a page reload. */
const GRACE_AFTER_CLEAN_CLOSE_MS = 2_000;
/**
 * How long a user stays online after a lost connection: longer than a client waits before it reconnects (a second), and
 * short enough to notify friends within five seconds of the loss.
 */
const GRACE_AFTER_LOSS_MS = 3_000;
/** Publications are sent in batches of this size, so that a user with many friends does not block Redis for long. */
const PUBLICATIONS_PER_BATCH = 500;
/** Maximum number of publications by one call of `publishPresence`. Each further change causes another call. */
const MAX_PUBLISH_ROUNDS = 3;
/** Minimum interval between two batches of changes, so that one query reads the friends of many users. */
const PUBLISH_EVERY_MS = 50;

/** A socket of a user, as recorded in Redis. */
interface RecordedSocket {
  socketId: string;
  replicaId: string;
  openedAtMs: number;
}

/**
 * The sockets of all users on all replicas. A user is online while a live replica holds one of their sockets, and for a
 * short grace period afterwards. Closes the oldest sockets of a user who has too many.
 */
@Injectable()
export class OnlineUsersService {
  private readonly logger = new Logger(OnlineUsersService.name);
  private readonly directory: SocketDirectoryRepository<JoinReply>;
  /** Users whose state has changed. The state is read on publication, so several changes of a user need one entry. */
  private readonly changes = new BatchingQueue<number>(PUBLISH_EVERY_MS, (userIds) =>
    this.publishChanges(userIds),
  );

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly lease: ReplicaLeaseService,
    private readonly userPublisher: UserPublisherService,
    private readonly events: ProcessEventsService,
  ) {
    this.directory = new SocketDirectoryRepository<JoinReply>({
      name: 'presence',
      redis,
      lease,
      // Each presence shard is a slot of the directory.
      slots: {
        count: PRESENCE_SHARD_COUNT,
        getPrefix: (shard) => presenceKeys(shard).prefix,
        findSlot: (userId) => findPresenceShard(Number(userId)),
      },
      scripts: { join: joinScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: GRACE_AFTER_LOSS_MS,
      onJoined: (userId, _socketId, [cameOnline, ...socketFields]) => {
        if (cameOnline === 1) this.enqueueChanges([Number(userId)]);
        // Redis returns the sockets only of a user who has too many.
        const sockets = parseSockets(socketFields);
        if (sockets.length > 0) void this.closeSurplusSockets(Number(userId), sockets);
      },
    });
  }

  @OnProcessEvent('SocketOpened')
  async recordOpened({ connection }: ProcessEventMap['SocketOpened']): Promise<void> {
    const openedAtMs = Date.now();
    const joinParameters = [openedAtMs, limits.socketsPerUser];
    await this.directory.record(String(connection.identity.userId), connection.id, joinParameters);
  }

  @OnProcessEvent('SocketClosed')
  async recordClosed({ connection, closure }: ProcessEventMap['SocketClosed']): Promise<void> {
    const graceMs = closure.isClean ? GRACE_AFTER_CLEAN_CLOSE_MS : GRACE_AFTER_LOSS_MS;
    await this.directory.leave(String(connection.identity.userId), connection.id, graceMs);
  }

  /** Records sockets again that other replicas may have evicted, or that Redis may have lost. */
  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async reconcileAll(): Promise<void> {
    await this.directory.reconcileAll();
  }

  /** Removes the sockets of dead replicas, ends grace periods, and compares a share of the records with Redis. */
  @OnProcessEvent('LeaseRenewed')
  async sweepAndReconcile(): Promise<void> {
    const [offlineUserIds] = await Promise.all([
      this.directory.sweep(this.lease.maySweep),
      this.directory.reconcile(),
    ]);
    this.enqueueChanges(offlineUserIds.map(Number));
  }

  /** Returns those of the users who are online: none while Redis is unavailable, so that lists of users still work. */
  async findOnlineAmong(userIds: readonly number[]): Promise<ReadonlySet<number>> {
    if (userIds.length === 0) return new Set();
    const batch = openBatch(this.redis);
    for (const userId of userIds) batch.sismember(presenceKeys(findPresenceShard(userId)).online, userId);
    try {
      const replies = (await batch.exec()) ?? [];
      return new Set(userIds.filter((_, index) => replies[index]?.[1] === 1));
    } catch {
      return new Set();
    }
  }

  /**
   * Sends the frame `presence` with the user's state to all sockets of the users `otherIds`. Best effort: the frame may
   * be lost. If the state changes during the call, the new state is sent as well. Otherwise the old state could arrive
   * last, after a frame with the new state that another replica has sent.
   * @throws errors of Redis.
   */
  async publishPresence(userId: number, otherIds: readonly number[]): Promise<void> {
    if (otherIds.length === 0) return;
    let isOnline = await this.isOnline(userId);
    for (let round = 0; round < MAX_PUBLISH_ROUNDS; round += 1) {
      await this.publishToAll(otherIds, encodePresence(userId, isOnline));
      const isOnlineNow = await this.isOnline(userId);
      if (isOnlineNow === isOnline) return;
      isOnline = isOnlineNow;
    }
  }

  private async isOnline(userId: number): Promise<boolean> {
    return (await this.redis.sismember(presenceKeys(findPresenceShard(userId)).online, userId)) === 1;
  }

  private async publishToAll(userIds: readonly number[], message: string): Promise<void> {
    for (let start = 0; start < userIds.length; start += PUBLICATIONS_PER_BATCH) {
      const batch = openBatch(this.redis);
      for (const userId of userIds.slice(start, start + PUBLICATIONS_PER_BATCH))
        batch.spublish(userChannel(userId), message);
      for (const [error] of (await batch.exec()) ?? []) if (error) throw error;
    }
  }

  /** Closes the oldest sockets of a user who has too many, on any replica. Sockets of dead replicas do not count. */
  private async closeSurplusSockets(userId: number, sockets: readonly RecordedSocket[]): Promise<void> {
    try {
      const replicaIds = [...new Set(sockets.map(({ replicaId }) => replicaId))];
      const dead = await this.lease.findDeadAmong(replicaIds);
      const liveSockets = sockets.filter(({ replicaId }) => !dead.replicaIds.includes(replicaId));
      liveSockets.sort((one, other) => one.openedAtMs - other.openedAtMs);
      const surplusCount = Math.max(0, liveSockets.length - limits.socketsPerUser);
      for (const { socketId } of liveSockets.slice(0, surplusCount))
        await this.userPublisher.publish(userId, { kind: 'close_socket', socketId });
    } catch (error) {
      logWarning(this.logger, 'Surplus sockets were not closed', error); // retried when the user opens another socket
    }
  }

  private enqueueChanges(userIds: readonly number[]): void {
    for (const userId of userIds) void this.changes.add(userId);
  }

  /** The handler of `OnlineChanged` finds the friends of the users and calls `publishPresence`. */
  private async publishChanges(userIds: readonly number[]): Promise<void> {
    try {
      await this.events.deliver('OnlineChanged', { userIds });
    } catch (error) {
      logWarning(this.logger, 'Presence was not published', error);
    }
  }
}

/** @param fields two for each socket: its id, and `<replica id>|<time of opening in ms>` (see `JoinReply`). */
const parseSockets = (fields: readonly string[]): RecordedSocket[] => {
  const sockets: RecordedSocket[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [socketId = '', record = ''] = fields.slice(index, index + 2);
    const [replicaId = '', openedAtMs] = record.split('|');
    sockets.push({ socketId, replicaId, openedAtMs: Number(openedAtMs) });
  }
  return sockets;
};

const encodePresence = (userId: number, isOnline: boolean): string => {
  const frame = JSON.stringify({ event: 'presence', data: { userId, isOnline } });
  return JSON.stringify({ kind: 'frame', frame } satisfies UserChannelMessage);
};
