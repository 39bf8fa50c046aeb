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

/**
 * `connected`: the partner is present, or has no deadline.
 * `awaited`: the partner has not joined yet and their deadline is running.
 * `reconnecting`: the partner has left and may return before their deadline.
 */
export type PartnerState = keyof typeof partnerStates;
/** The number by which `joinScript` returns the state. */
type JoinReply = (typeof partnerStates)[PartnerState];

export interface ChatSocket {
  id: string;
  userId: number;
  partnerId: number;
  /** Whether a page on this socket shows the chat. Only such sockets make their user present. */
  showsChat: boolean;
}

/** Identifies a deadline: the time by which an absent user must return to their chat, or it ends. */
export interface Deadline {
  sessionId: string;
  userId: number;
}

/** Passed to `leaveScript` in place of a grace period: the chat has ended, so leaving it sets no deadline. */
const CHAT_ENDED = -1;

/** Records which sockets are in which random chat, and the deadlines of users who are absent from their chat. */
@Injectable()
export class ChatPresenceService {
  private readonly directory: SocketDirectoryRepository<JoinReply>;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly lease: ReplicaLeaseService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.directory = new SocketDirectoryRepository({
      name: 'sockets in chats',
      redis,
      lease,
      // Each shard is one slot of the directory.
      slots: { count: SHARD_COUNT, getPrefix: (shard) => chatKeys(shard).prefix, findSlot: findShard },
      scripts: { join: joinScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: environment.GRACE_AFTER_LOSS_MS,
    });
  }

  /** Sets a deadline, `graceMs` from now, for each user who is not in the chat and has no deadline yet. */
  async setDeadlines(sessionId: string, userIds: readonly number[], graceMs: number): Promise<void> {
    await setChatDeadlines(this.redis, sessionId, userIds, graceMs);
  }

  /**
   * Records a socket in the chat, or a change of whether it shows the chat. From then on, its replica receives
   * everything published in the session.
   * @throws errors of Redis. `reconcile` then records the socket later, so a caller that gives up must call `leave`.
   */
  async join(sessionId: string, { id, userId, partnerId, showsChat }: ChatSocket): Promise<PartnerState> {
    // The time to return for a user who has just stopped showing the chat on their last socket.
    const graceMs = this.environment.GRACE_AFTER_CLEAN_CLOSE_MS;
    const parameters = [userId, partnerId, showsChat ? 1 : 0, graceMs];
    const reply = await this.directory.join(sessionId, id, parameters);
    return toPartnerState(reply);
  }

  /**
   * Removes a socket from the chat. If it was the user's last one that shows the chat, their deadline is set to
   * `graceMs` from now. Never rejects: `reconcile` repeats a failed call.
   */
  async leave(sessionId: string, socketId: string, graceMs: number): Promise<void> {
    await this.directory.leave(sessionId, socketId, graceMs);
  }

  /** Removes a socket from a chat that has ended, without a grace period. Never rejects. */
  async leaveEndedChat(sessionId: string, socketId: string): Promise<void> {
    await this.directory.leave(sessionId, socketId, CHAT_ENDED);
  }

  /** Deletes the presence data of a chat that has ended. */
  async forget(sessionId: string, userIds: readonly number[]): Promise<void> {
    await forgetScript.run(this.redis, getKeys(sessionId), [sessionId, ...userIds]);
  }

  /**
   * Repeats failed calls, and compares this replica's sockets with their records in some of the shards, each time in
   * other ones. Call it about once a second. Never rejects.
   */
  async reconcile(): Promise<void> {
    await this.directory.reconcile();
  }

  /** Restores the records of this replica's sockets that Redis has lost, in all shards. Never rejects. */
  async reconcileAll(): Promise<void> {
    await this.directory.reconcileAll();
  }

  /**
   * Evicts the sockets of dead replicas in this replica's share of the shards.
   * @returns the overdue deadlines in these shards; none while `ReplicaLeaseService.maySweep` is false, for example
   * shortly after an outage of Redis.
   */
  async sweep(): Promise<Deadline[]> {
    if (!this.lease.maySweep) return [];
    const overdue = await this.directory.sweep(/* mayEvict */ true);
    return overdue.map(parseDeadline);
  }

  /**
   * Postpones an overdue deadline that could not be handled. Otherwise each sweep, which returns a limited number of
   * deadlines, could return the same ones again.
   */
  async postpone({ sessionId, userId }: Deadline, byMs: number): Promise<void> {
    await postponeScript.run(this.redis, getKeys(sessionId), [sessionId, userId, byMs]);
  }

  /** Publishes a message to every replica that holds a socket of the session. Redis does not store it. */
  async publish(sessionId: string, message: string): Promise<void> {
    await publishScript.run(this.redis, getKeys(sessionId), [sessionId, message]);
  }
}

/** The keys of every script: only `replicas`, from which the scripts derive the others of the shard. */
const getKeys = (sessionId: string): string[] => [chatKeys(findShard(sessionId)).replicas];

const toPartnerState = (reply: JoinReply): PartnerState => {
  if (reply === partnerStates.connected) return 'connected';
  if (reply === partnerStates.awaited) return 'awaited';
  return 'reconnecting';
};

/** @param member an absent user in Redis: `<session>|<user>` */
const parseDeadline = (member: string): Deadline => {
  const separator = member.lastIndexOf('|');
  return { sessionId: member.slice(0, separator), userId: Number(member.slice(separator + 1)) };
};

/** Does the same as `ChatPresenceService.setDeadlines`, for processes that do not provide the service. */
export const setChatDeadlines = async (
  redis: RedisClient,
  sessionId: string,
  userIds: readonly number[],
  graceMs: number,
): Promise<void> => {
  await setDeadlinesScript.run(redis, getKeys(sessionId), [sessionId, graceMs, ...userIds]);
};
