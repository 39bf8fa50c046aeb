import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from '../redis/redis.module';
import { cellOf, chatKeys } from '../redis/redis-keys';
import {
  enterScript,
  expectScript,
  forgetScript,
  leaveScript,
  publishScript,
  sweepScript,
} from './chat-presence.scripts';

/** Which sockets are in which random chat, and until when a chat waits for a user who has none. */
@Injectable()
export class ChatPresence {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Gives users who are not in the chat yet until then to come. */
  async expect(sessionId: string, userIds: readonly number[], graceMs: number): Promise<void> {
    const keys = chatKeys(cellOf(sessionId));
    await expectScript.run(this.redis, [keys.deadlines], [keys.prefix, sessionId, graceMs, ...userIds]);
  }

  /** Records a socket in the chat; its replica is told of whatever happens there from now on. @returns whether the partner is there. */
  async enter(
    sessionId: string,
    socket: { id: string; userId: number; replicaId: string; partnerId: number },
  ): Promise<boolean> {
    const keys = chatKeys(cellOf(sessionId));
    const isPartnerThere = await enterScript.run(
      this.redis,
      [keys.deadlines],
      [keys.prefix, sessionId, socket.id, socket.userId, socket.replicaId, socket.partnerId],
    );
    return isPartnerThere === 1;
  }

  /** A socket is gone; a user's last one starts his deadline, `graceMs` from now. */
  async leave(sessionId: string, socket: { id: string; replicaId: string }, graceMs: number): Promise<void> {
    const keys = chatKeys(cellOf(sessionId));
    await leaveScript.run(
      this.redis,
      [keys.deadlines],
      [keys.prefix, sessionId, socket.id, socket.replicaId, graceMs],
    );
  }

  /** Forgets who was in a chat that has ended. */
  async forget(sessionId: string, userIds: readonly number[]): Promise<void> {
    const keys = chatKeys(cellOf(sessionId));
    await forgetScript.run(this.redis, [keys.deadlines], [keys.prefix, sessionId, ...userIds]);
  }

  /** Lets the sockets of dead replicas leave these cells. @returns the deadlines there that are overdue. */
  async sweep(
    cells: readonly number[],
    liveReplicas: readonly string[],
    graceMs: number,
  ): Promise<{ sessionId: string; userId: number }[]> {
    const calls = cells.map((cell) => {
      const keys = chatKeys(cell);
      return { keys: [keys.deadlines], parameters: [keys.prefix, graceMs, ...liveReplicas] };
    });
    const overdue = (await sweepScript.runAll(this.redis, calls)).flat();
    return overdue.map((member) => {
      const bar = member.lastIndexOf('|');
      return { sessionId: member.slice(0, bar), userId: Number(member.slice(bar + 1)) };
    });
  }

  /** Publishes to every replica that holds a socket of the session; nothing is stored. */
  async publish(sessionId: string, message: string): Promise<void> {
    const keys = chatKeys(cellOf(sessionId));
    await publishScript.run(this.redis, [keys.sockets(sessionId)], [keys.prefix, sessionId, message]);
  }
}
