import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { ProcessEvents } from '../process-events/process-events';
import { REDIS } from '../redis/redis.module';
import { RedisScript } from '../redis/redis-script';
import { userChannel, userSocketsKey } from '../redis/redis-keys';
import { ChannelHub } from './channel-hub';
import { LoginRechecker } from './login-rechecker';
import { ReplicaLease } from './replica-lease';
import type { SocketConnection } from './socket-connection';
import type { UserChannelMessage } from './user-channels';

/**
 * KEYS: the user's sockets, a sorted set of «replica|socket» by time of opening.
 * ARGV: now, member, maximum, then the live replicas. Answers the members that are too many, oldest first.
 */
const registerSocket = new RedisScript<string[]>(`
local live = {}
for i = 4, #ARGV do live[ARGV[i]] = true end
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if not live[string.match(member, '^[^|]+')] then redis.call('ZREM', KEYS[1], member) end
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], 86400000)
local surplus = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[3])
if surplus <= 0 then return {} end
local oldest = redis.call('ZRANGE', KEYS[1], 0, surplus - 1)
redis.call('ZREM', KEYS[1], unpack(oldest))
return oldest
`);

/** The sockets of this replica, by user; closes those whose login has ended. */
@Injectable()
export class SocketRegistry {
  private readonly logger = new Logger(SocketRegistry.name);
  private readonly byUser = new Map<number, Set<SocketConnection>>();
  private readonly channelListeners = new Map<number, (message: string) => void>();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly logins: LoginRechecker,
    private readonly channels: ChannelHub,
    private readonly lease: ReplicaLease,
    private readonly events: ProcessEvents,
  ) {}

  get size(): number {
    let size = 0;
    for (const sockets of this.byUser.values()) size += sockets.size;
    return size;
  }

  /** Every socket of this replica. */
  *all(): Generator<SocketConnection> {
    for (const sockets of this.byUser.values()) yield* sockets;
  }

  /** The user's sockets on this replica that have authenticated. */
  *authenticated(userId: number): Generator<SocketConnection> {
    for (const connection of this.byUser.get(userId) ?? []) if (connection.isAuthenticated) yield connection;
  }

  /** Whether the user has a socket on this replica. */
  holds(userId: number): boolean {
    return this.byUser.has(userId);
  }

  /** The users with a socket on this replica. */
  get userIds(): Iterable<number> {
    return this.byUser.keys();
  }

  /**
   * Counts the socket in, subscribes to its user's channel, and only then has its login checked once more: one that
   * ends in between is either seen then or announced on the channel.
   */
  async register(connection: SocketConnection): Promise<void> {
    const { userId } = connection.identity;
    let sockets = this.byUser.get(userId);
    if (!sockets) this.byUser.set(userId, (sockets = new Set()));
    sockets.add(connection);
    const listener = this.channelListeners.get(userId) ?? ((message: string) => this.hear(userId, message));
    this.channelListeners.set(userId, listener);
    await this.channels.subscribe(userChannel(userId), listener);
    const [surplus] = await Promise.all([
      registerSocket.run(
        this.redis,
        [userSocketsKey(userId)],
        [
          Date.now(),
          `${this.lease.replicaId}|${connection.id}`,
          limits.socketsPerUser,
          this.lease.replicaId,
          ...this.lease.liveReplicas,
        ],
      ),
      this.logins.recheck(connection),
    ]);
    // It may have closed while it was counted in, and nobody would count it out any more.
    if (!this.byUser.get(userId)?.has(connection)) this.countOut(connection);
    else if (connection.isOpen) this.events.publish('SocketOpened', { connection });
    for (const member of surplus) await this.closeSurplus(userId, member.slice(member.indexOf('|') + 1));
  }

  unregister(connection: SocketConnection, isClean: boolean): void {
    const { userId } = connection.identity;
    const sockets = this.byUser.get(userId);
    if (!sockets?.delete(connection)) return;
    const wasLastOfUser = sockets.size === 0;
    if (wasLastOfUser) {
      this.byUser.delete(userId);
      const listener = this.channelListeners.get(userId);
      this.channelListeners.delete(userId);
      if (listener) this.channels.unsubscribe(userChannel(userId), listener);
    }
    this.countOut(connection);
    this.events.publish('SocketClosed', { connection, closure: { isClean, wasLastOfUser } });
  }

  /** Closes the sockets of this replica whose login has ended. */
  closeEndedLogins(): Promise<void> {
    return this.logins.closeEnded([...this.all()]);
  }

  private countOut({ id, identity }: SocketConnection): void {
    this.redis.zrem(userSocketsKey(identity.userId), `${this.lease.replicaId}|${id}`).catch(() => undefined); // it is left out with this replica's lease, or at the user's next socket
  }

  private async closeSurplus(userId: number, socketId: string): Promise<void> {
    const message: UserChannelMessage = { kind: 'close_socket', socketId };
    await this.redis.publish(userChannel(userId), JSON.stringify(message));
  }

  private hear(userId: number, text: string): void {
    const message = JSON.parse(text) as UserChannelMessage;
    const sockets = this.byUser.get(userId) ?? [];
    switch (message.kind) {
      case 'frame':
        for (const connection of sockets) {
          if (connection.isAuthenticated && connection.id !== message.exceptSocketId)
            connection.send(message.frame);
        }
        return;
      case 'revoke':
        for (const connection of sockets) {
          const { familyId } = connection.identity;
          const isMeant = message.familyIds === 'all' || message.familyIds.includes(familyId);
          if (isMeant && familyId !== message.exceptFamilyId) connection.close(closeCodes.notSignedIn);
        }
        return;
      case 'restart_family':
        for (const connection of sockets) {
          if (connection.identity.familyId === message.familyId) connection.close(closeCodes.serviceRestart);
        }
        return;
      case 'close_socket':
        for (const connection of sockets) {
          if (connection.id === message.socketId) connection.close(closeCodes.tooManySockets);
        }
        return;
      case 'searching':
        this.events.publish('SearchStarted', { userId });
        return;
      case 'chat_started':
        this.events.publish('ChatStarted', { userId, sessionId: message.sessionId });
        return;
      default:
        message satisfies never;
        this.logger.warn('A user channel carried a message of an unknown kind');
    }
  }
}
