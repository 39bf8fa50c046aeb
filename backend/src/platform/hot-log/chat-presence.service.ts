import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { ReplicaLeaseService } from '../realtime/replica-lease.service';
import { SocketDirectoryRepository } from '../realtime/socket-directory.repository';
import { REDIS } from '../redis/redis.module';
import { SHARD_COUNT, shardOf, chatKeys } from '../redis/redis.keys';
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

/** `awaited`: not in the chat yet, and not late; `reconnecting`: was in it, and is awaited back. */
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

/** Grace period of a socket that leaves a chat which has ended: there is none. */
const CHAT_ENDED = -1;

/** Which sockets are in which random chat, and until when a chat waits for a user who has none. */
@Injectable()
export class ChatPresenceService {
  private readonly directory: SocketDirectoryRepository<1 | 0 | -1>;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly lease: ReplicaLeaseService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.directory = new SocketDirectoryRepository({
      name: 'sockets in chats',
      redis,
      lease,
      slots: { count: SHARD_COUNT, prefix: (shard) => chatKeys(shard).prefix, of: shardOf },
      scripts: { join: joinScript, leave: leaveScript, sweep: sweepScript },
      graceAfterLossMs: environment.GRACE_AFTER_LOSS_MS,
    });
  }

  /** Gives users who are not in the chat yet until then to come. */
  async setDeadlines(sessionId: string, userIds: readonly number[], graceMs: number): Promise<void> {
    await setDeadlines(this.redis, sessionId, userIds, graceMs);
  }

  /**
   * Records a socket in the chat, or that it shows the chat now, or does not any more. From here on its replica
   * receives all that is published in the session.
   * @throws what Redis threw. The socket is recorded later, unless it leaves: the caller must call `leave` if it
   * gives up.
   */
  async join(sessionId: string, { id, userId, partnerId, showsChat }: ChatSocket): Promise<PartnerState> {
    const graceMs = this.environment.GRACE_AFTER_CLEAN_CLOSE_MS;
    const parameters = [userId, partnerId, showsChat ? 1 : 0, graceMs];
    const state = await this.directory.join(sessionId, id, parameters);
    if (state === partnerStates.connected) return 'connected';
    return state === partnerStates.awaited ? 'awaited' : 'reconnecting';
  }

  /**
   * A socket is gone; with the last one that shows the chat the user's deadline starts, `graceMs` from now. Never
   * rejects: a departure that cannot be recorded is recorded later.
   */
  async leave(sessionId: string, socketId: string, graceMs: number): Promise<void> {
    await this.directory.leave(sessionId, socketId, graceMs);
  }

  /** A socket leaves a chat that has ended: its user gets no grace period. Never rejects. */
  async leaveEnded(sessionId: string, socketId: string): Promise<void> {
    await this.directory.leave(sessionId, socketId, CHAT_ENDED);
  }

  /** Forgets who was in a chat that has ended. */
  async forget(sessionId: string, userIds: readonly number[]): Promise<void> {
    await forgetScript.run(this.redis, keysOf(sessionId), [sessionId, ...userIds]);
  }

  /** About once a second: records what could not be recorded, and compares. Never rejects. */
  async reconcile(): Promise<void> {
    await this.directory.reconcile();
  }

  /** Records again what Redis has lost of this replica's sockets; settles when it is done, and never rejects. */
  async reconcileAll(): Promise<void> {
    await this.directory.reconcileAll();
  }

  /**
   * Evicts the sockets of dead replicas, in this replica's share of the shards.
   * @returns the deadlines there that are overdue; nothing while this replica may not sweep.
   */
  async sweep(): Promise<Deadline[]> {
    if (!this.lease.maySweep) return [];
    const overdue = await this.directory.sweep(true);
    return overdue.map((member) => {
      const bar = member.lastIndexOf('|');
      return { sessionId: member.slice(0, bar), userId: Number(member.slice(bar + 1)) };
    });
  }

  /** Puts an overdue deadline off that could not be acted upon, so that it does not hold up the others. */
  async postpone({ sessionId, userId }: Deadline, byMs: number): Promise<void> {
    await postponeScript.run(this.redis, keysOf(sessionId), [sessionId, userId, byMs]);
  }

  /** Publishes to every replica that holds a socket of the session; nothing is stored. */
  async publish(sessionId: string, message: string): Promise<void> {
    await publishScript.run(this.redis, keysOf(sessionId), [sessionId, message]);
  }
}

const keysOf = (sessionId: string): string[] => [chatKeys(shardOf(sessionId)).replicas];

/** Gives those of the users who are not in the chat, and have no deadline yet, until then to come. */
export const setDeadlines = async (
  redis: Redis,
  sessionId: string,
  userIds: readonly number[],
  graceMs: number,
): Promise<void> => {
  await setDeadlinesScript.run(redis, keysOf(sessionId), [sessionId, graceMs, ...userIds]);
};
