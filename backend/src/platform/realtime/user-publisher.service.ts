import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import { REDIS } from '../redis/redis.module';
import { userChannel } from '../redis/redis.keys';

/** What travels on a user's channel to every replica that holds one of his sockets. */
export type UserChannelMessage =
  | { kind: 'frame'; frame: string; exceptSocketId?: string }
  | { kind: 'revoke'; familyIds: 'all' | readonly string[]; exceptFamilyId?: string }
  /** The login goes on in another family: its page comes back with the new cookie. */
  | { kind: 'restart_family'; familyId: string }
  | { kind: 'close_socket'; socketId: string }
  /** He waits in the queue: every replica that holds a socket of his holds his place. */
  | { kind: 'searching' }
  | { kind: 'chat_started'; sessionId: string };

/** Sends to one user, wherever his sockets are. */
@Injectable()
export class UserPublisherService {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** A frame to all sockets of the user but one. A hint: it may be lost, the store is the truth. */
  async sendFrame<E extends ServerEvent>(
    userId: number,
    event: E,
    data: ServerData<E>,
    exceptSocketId?: string,
  ): Promise<void> {
    await this.publish(userId, { kind: 'frame', frame: JSON.stringify({ event, data }), exceptSocketId });
  }

  /** Closes the sockets of these login families with 4401, on every replica. */
  async revokeFamilies(
    userId: number,
    familyIds: 'all' | readonly string[],
    exceptFamilyId?: string,
  ): Promise<void> {
    await this.publish(userId, { kind: 'revoke', familyIds, exceptFamilyId });
  }

  /** Closes the sockets of a login family with 1012, on every replica: clients reconnect with the cookie they have. */
  async restartFamily(userId: number, familyId: string): Promise<void> {
    await this.publish(userId, { kind: 'restart_family', familyId });
  }

  async publish(userId: number, message: UserChannelMessage): Promise<void> {
    await this.redis.publish(userChannel(userId), JSON.stringify(message));
  }
}
