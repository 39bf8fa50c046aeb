import { Injectable, Logger } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { isExcluded } from '@thaw/contract/safety';
import { ProcessEventsService } from '../process-events/process-events.service';
import { userChannel } from '../redis/redis.keys';
import { LoginRecheckService } from './login-recheck.service';
import { RedisSubscriberService } from './redis-subscriber.service';
import type { SocketConnection } from './socket-connection.model';
import type { UserChannelMessage } from './user-publisher.service';

/** The sockets of this replica, by user. Closes sockets whose login has ended. */
@Injectable()
export class SocketRegistry {
  private readonly logger = new Logger(SocketRegistry.name);
  private readonly socketsByUser = new Map<number, Set<SocketConnection>>();
  private readonly channelListeners = new Map<number, (message: string) => void>();

  constructor(
    private readonly loginRecheck: LoginRecheckService,
    private readonly subscriber: RedisSubscriberService,
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
    const listener =
      this.channelListeners.get(userId) ?? ((message: string) => this.handleMessage(userId, message));
    this.channelListeners.set(userId, listener);
    // For a further socket of the user, this waits until the channel is subscribed.
    await this.subscriber.subscribe(userChannel(userId), listener);
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

  /** Closes the sockets of this replica whose login has ended. */
  closeEndedLogins(): Promise<void> {
    return this.loginRecheck.closeEnded([...this.iterateSockets()]);
  }

  private handleMessage(userId: number, text: string): void {
    const message = JSON.parse(text) as UserChannelMessage;
    const sockets = this.socketsByUser.get(userId) ?? [];
    switch (message.kind) {
      case 'frame':
        for (const connection of sockets) {
          if (connection.isAuthenticated && connection.id !== message.exceptSocketId)
            connection.send(message.frame);
        }
        return;
      case 'revoke':
        for (const connection of sockets) {
          const { familyId } = connection.identity; // one login and all sessions that continue it
          const isAffected = message.familyIds === 'all' || message.familyIds.includes(familyId);
          if (isAffected && familyId !== message.exceptFamilyId) connection.close(closeCodes.notSignedIn);
        }
        return;
      case 'restart_family':
        for (const connection of sockets) {
          // Clients reconnect after this code, with the cookie of the family in which the login continues.
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
      // Exclusions are users with whom the user is not matched.
      case 'exclusions_changed':
        this.events.publish('ExclusionsChanged', { userId });
        return;
      case 'standing':
        for (const connection of sockets) {
          connection.sendFrame('standing', message.standing);
          // A suspended or banned user may not have a socket.
          if (isExcluded(message.standing)) connection.close(closeCodes.notSignedIn);
        }
        this.events.publish('StandingChanged', { userId, standing: message.standing });
        return;
      default:
        message satisfies never;
        this.logger.warn('A user channel carried a message of an unknown kind');
    }
  }
}
