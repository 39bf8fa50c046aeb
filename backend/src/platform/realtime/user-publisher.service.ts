import { Inject, Injectable } from '@nestjs/common';
import type { Standing } from '@thaw/contract/safety';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { userChannel } from '../redis/redis.keys';

/**
 * A message on a user's channel. Every replica with a socket of the user receives it. Sockets belong to a login family:
 * the session ids that replace one another in one login.
 */
export type UserChannelMessage =
  | { kind: 'frame'; frame: string; exceptSocketId?: string }
  /** Closes the sockets of these login families. */
  | { kind: 'revoke'; familyIds: 'all' | readonly string[]; exceptFamilyId?: string }
  /** A new family has replaced this one. Closes the sockets of this family; clients reconnect with the new cookie. */
  | { kind: 'restart_family'; familyId: string }
  | { kind: 'close_socket'; socketId: string }
  /** The user is searching. Every replica with a socket of the user joins in, so the search goes on if one dies. */
  | { kind: 'searching' }
  | { kind: 'chat_started'; sessionId: string }
  /** The users with whom the user must not be matched have changed. */
  | { kind: 'exclusions_changed' }
  /**
   * The user's standing (good, suspended, banned, ...) may have changed. Replicas apply it to the user's search and
   * chat, and close the sockets of a suspended or banned user.
   */
  | { kind: 'standing'; standing: Standing };

/** Publishes to all replicas with sockets of one user. */
@Injectable()
export class UserPublisherService {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /**
   * Sends a frame to the user's sockets, except `exceptSocketId`. Best effort: a frame that was published may still be
   * lost on its way.
   * @throws errors of Redis.
   */
  async sendFrame<E extends ServerEvent>(
    userId: number,
    event: E,
    data: ServerData<E>,
    exceptSocketId?: string,
  ): Promise<void> {
    await this.publish(userId, { kind: 'frame', frame: JSON.stringify({ event, data }), exceptSocketId });
  }

  /**
   * Closes the sockets of these login families with `notSignedIn` (4401), on every replica.
   * @param exceptFamilyId a family whose sockets stay open when `familyIds` is 'all', such as the current login.
   * @throws errors of Redis.
   */
  async revokeFamilies(
    userId: number,
    familyIds: 'all' | readonly string[],
    exceptFamilyId?: string,
  ): Promise<void> {
    await this.publish(userId, { kind: 'revoke', familyIds, exceptFamilyId });
  }

  /**
   * Closes the sockets of a login family with `serviceRestart` (1012), on every replica. Clients reconnect with their
   * current cookie.
   * @throws errors of Redis.
   */
  async restartFamily(userId: number, familyId: string): Promise<void> {
    await this.publish(userId, { kind: 'restart_family', familyId });
  }

  /** Publishes to every replica that has a socket of the user. @throws errors of Redis. */
  async publish(userId: number, message: UserChannelMessage): Promise<void> {
    await this.redis.spublish(userChannel(userId), JSON.stringify(message));
  }
}
