import { Injectable } from '@nestjs/common';
import { ProcessEventsService } from '../process-events/process-events.service';
import { userChannel } from '../redis/redis.keys';
import { LoginRecheckService } from './login-recheck.service';
import { type ChannelListener, RedisSubscriberService } from './redis-subscriber.service';
import type { SocketConnection } from './socket-connection.model';
import { UserChannelService } from './user-channel.service';
import type { UserChannelMessage } from './user-publisher.service';

/** The sockets of this replica, by user. Closes sockets whose login has ended. */
@Injectable()
export class SocketRegistry {
  private readonly socketsByUser = new Map<number, Set<SocketConnection>>();
  private readonly channelListeners = new Map<number, ChannelListener>();

  constructor(
    private readonly loginRecheck: LoginRecheckService,
    private readonly subscriber: RedisSubscriberService,
    private readonly userChannel: UserChannelService,
    private readonly events: ProcessEventsService,
  ) {}

  /** Number of sockets. */
  get size(): number {
    let size = 0;
    for (const sockets of this.socketsByUser.values()) size += sockets.size;
    return size;
  }

  /** Yields every socket of this replica. */
  *iterateSockets(): Generator<SocketConnection> {
    for (const sockets of this.socketsByUser.values()) yield* sockets;
  }

  /** Yields the user's authenticated sockets on this replica. */
  *iterateAuthenticatedSockets(userId: number): Generator<SocketConnection> {
    for (const connection of this.socketsByUser.get(userId) ?? [])
      if (connection.isAuthenticated) yield connection;
  }

  /** Whether the user has a socket on this replica. */
  hasSocketsOf(userId: number): boolean {
    return this.socketsByUser.has(userId);
  }

  /**
   * Subscribes to the channel of the socket's user and then checks the login again. The end of a login is therefore
   * either found by the check or announced on the channel. Publishes `SocketOpened`.
   * @throws errors of Redis and PostgreSQL.
   */
  async register(connection: SocketConnection): Promise<void> {
    const { userId } = connection.identity;
    let sockets = this.socketsByUser.get(userId);
    if (!sockets) this.socketsByUser.set(userId, (sockets = new Set()));
    sockets.add(connection);
    // The channel of a user who already has a socket here is subscribed only once: this then waits, if necessary, until
    // Redis has confirmed the subscription.
    await this.subscriber.subscribe(userChannel(userId), this.findOrCreateListener(userId));
    await this.loginRecheck.recheck(connection);
    // The socket may have closed meanwhile.
    const isStillOpen = this.socketsByUser.get(userId)?.has(connection) && connection.isOpen;
    if (isStillOpen) this.events.publish('SocketOpened', { connection });
  }

  /**
   * Removes a closed socket. Publishes `SocketClosed`.
   * @param isClean whether the client closed the socket with a regular close code, as on leaving the page.
   */
  unregister(connection: SocketConnection, isClean: boolean): void {
    const { userId } = connection.identity;
    const sockets = this.socketsByUser.get(userId);
    if (!sockets?.delete(connection)) return;
    const wasLastOfUser = sockets.size === 0;
    if (wasLastOfUser) {
      this.socketsByUser.delete(userId);
      const listener = this.channelListeners.get(userId);
      this.channelListeners.delete(userId);
      if (listener) this.subscriber.unsubscribe(userChannel(userId), listener);
    }
    this.events.publish('SocketClosed', { connection, closure: { isClean, wasLastOfUser } });
  }

  /** Closes the sockets of this replica whose login has ended or whose user is excluded. */
  closeSocketsOfEndedLogins(): Promise<void> {
    return this.loginRecheck.closeEndedOrExcluded([...this.iterateSockets()]);
  }

  /**
   * Returns the listener of the user's channel. There is one for all sockets of the user, so that each message is
   * applied once.
   */
  private findOrCreateListener(userId: number): ChannelListener {
    let listener = this.channelListeners.get(userId);
    if (!listener) {
      listener = (text) => {
        const message = JSON.parse(text) as UserChannelMessage;
        this.userChannel.apply(message, userId, this.socketsByUser.get(userId) ?? []);
      };
      this.channelListeners.set(userId, listener);
    }
    return listener;
  }
}
