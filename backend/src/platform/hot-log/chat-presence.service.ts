import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { ReplicaLeaseService } from '../realtime/replica-lease.service';
import { SocketDirectoryRepository } from '../realtime/socket-directory.repository';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { SHARD_COUNT, findShard, chatKeys } from '../redis/redis.keys';
import {
  joinScript,
  setDeadlinesScript,
  forgetScript,
  leaveScript,
  partnerStates,
  postponeScript,
  publishScript,
  sweepScript,
} from './chat-presence.scripts';

/** `awaited`: has not joined yet, within the deadline; `reconnecting`: has left and may return before the deadline. */
export type PartnerState = keyof typeof partnerStates;

export interface ChatSocket {
  id: string;
  userId: number;
  partnerId: number;
  /** Whether a page on this socket shows the chat; only such sockets make their user present (A51). */
  showsChat: boolean;
}

export interface Deadline {
  sessionId: string;
  userId: number;
}

/** Passed in place of a grace period for sockets that leave a chat after its end. */
const CHAT_ENDED = -1;

/** Records which sockets are in which random chat, and the deadlines of users without a socket. */
@Injectable()
export class ChatPresenceService {
  private readonly directory: SocketDirectoryRepository<1 | 0 | -1>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly lease: ReplicaLeaseService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.directory = new SocketDirectoryRepository({
      name: 'sockets in chats',
      redis,
      lease,
      slots: { count: SHARD_COUNT, getPrefix: (shard) => chatKeys(shard).prefix, findSlot: findShard },
      scripts: { join: joinScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: environment.GRACE_AFTER_LOSS_MS,
    });
  }

  /** Sets a deadline, `graceMs` from now, for each user who has not joined the chat yet. */
  async setDeadlines(sessionId: string, userIds: readonly number[], graceMs: number): Promise<void> {
    await setDeadlines(this.redis, sessionId, userIds, graceMs);
  }

  /**
   * Records a socket in the chat, or a change of whether it shows the chat. From then on, its replica receives
   * everything published in the session.
   * @throws errors of Redis. The socket is then recorded later: a caller that gives up must call `leave`.
   */
  async join(sessionId: string, { id, userId, partnerId, showsChat }: ChatSocket): Promise<PartnerState> {
    const graceMs = this.environment.GRACE_AFTER_CLEAN_CLOSE_MS;
    const parameters = [userId, partnerId, showsChat ? 1 : 0, graceMs];
    const state = await this.directory.join(sessionId, id, parameters);
    if (state === partnerStates.connected) return 'connected';
    return state === partnerStates.awaited ? 'awaited' : 'reconnecting';
  }

  /**
   * Removes a socket from the chat. If it was the user's last one that shows the chat, their deadline is set to
   * `graceMs` from now. Never rejects: a failed call is repeated later.
   */
  async leave(sessionId: string, socketId: string, graceMs: number): Promise<void> {
    await this.directory.leave(sessionId, socketId, graceMs);
  }

  /** Removes a socket from a chat that has ended, without a grace period. Never rejects. */
  async leaveEnded(sessionId: string, socketId: string): Promise<void> {
    await this.directory.leave(sessionId, socketId, CHAT_ENDED);
  }

  /** Deletes the presence data of a chat that has ended. */
  async forget(sessionId: string, userIds: readonly number[]): Promise<void> {
    await forgetScript.run(this.redis, getKeys(sessionId), [sessionId, ...userIds]);
  }

  /** Repeats failed calls and compares a share of the shards; call it about once a second. Never rejects. */
  async reconcile(): Promise<void> {
    await this.directory.reconcile();
  }

  /** Restores the records of this replica's sockets that Redis has lost. Never rejects. */
  async reconcileAll(): Promise<void> {
    await this.directory.reconcileAll();
  }

  /**
   * Evicts the sockets of dead replicas in this replica's share of the shards.
   * @returns the overdue deadlines there; none while this replica may not sweep.
   */
  async sweep(): Promise<Deadline[]> {
    if (!this.lease.maySweep) return [];
    const overdue = await this.directory.sweep(true);
    return overdue.map((member) => {
      const bar = member.lastIndexOf('|');
      return { sessionId: member.slice(0, bar), userId: Number(member.slice(bar + 1)) };
    });
  }

  /** Postpones an overdue deadline that could not be handled, so that it does not block the others. */
  async postpone({ sessionId, userId }: Deadline, byMs: number): Promise<void> {
    await postponeScript.run(this.redis, getKeys(sessionId), [sessionId, userId, byMs]);
  }

  /** Publishes to every replica that holds a socket of the session; nothing is stored. */
  async publish(sessionId: string, message: string): Promise<void> {
    await publishScript.run(this.redis, getKeys(sessionId), [sessionId, message]);
  }
}

const getKeys = (sessionId: string): string[] => [chatKeys(findShard(sessionId)).replicas];

/** Sets a deadline, `graceMs` from now, for each user who is not in the chat and has no deadline yet. */
export const setDeadlines = async (
  redis: RedisClient,
  sessionId: string,
  userIds: readonly number[],
  graceMs: number,
): Promise<void> => {
  await setDeadlinesScript.run(redis, getKeys(sessionId), [sessionId, graceMs, ...userIds]);
};
