import { Inject, Injectable } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { BatchingQueue } from './batching.queue';
import { realtimeLimits } from './realtime.limits';
import type { SocketConnection } from './socket-connection.model';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';

/**
 * Closes sockets whose login has ended. A login that ends between the look-up at the upgrade and the subscription to
 * the user's channel is announced before this replica subscribes; so every socket is checked once more after that, in
 * one query with all others that opened within `loginRecheckMs`.
 */
@Injectable()
export class LoginRecheckService {
  private readonly opened = new BatchingQueue<SocketConnection>(
    realtimeLimits.loginRecheckMs,
    (connections) => this.closeEnded(connections.filter(({ isOpen }) => isOpen)),
  );

  constructor(@Inject(SOCKET_IDENTITY_PORT) private readonly identities: SocketIdentityPort) {}

  /**
   * To be called once the user's channel is subscribed to: from then on an end is announced here. Resolves when the
   * socket was checked. @throws when PostgreSQL cannot be asked.
   */
  recheck(connection: SocketConnection): Promise<void> {
    return this.opened.add(connection);
  }

  /** Closes those of the sockets whose login has ended, with 4401. @throws when PostgreSQL cannot be asked. */
  async closeEnded(connections: readonly SocketConnection[]): Promise<void> {
    if (connections.length === 0) return;
    const familyIds = new Set(connections.map(({ identity }) => identity.familyId));
    const live = await this.identities.liveFamilies([...familyIds]);
    for (const connection of connections) {
      if (!live.has(connection.identity.familyId)) connection.close(closeCodes.notSignedIn);
    }
  }
}
