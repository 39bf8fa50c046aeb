import { Inject, Injectable } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { isExcluded } from '@thaw/contract/safety';
import { BatchingQueue } from './batching.queue';
import { realtimeLimits } from './realtime.limits';
import type { SocketConnection } from './socket-connection.model';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';

const listFamilyIds = (connections: readonly SocketConnection[]): string[] => [
  ...new Set(connections.map(({ identity }) => identity.familyId)),
];

/**
 * Closes sockets whose login has ended or whose user is excluded (suspended or banned). The sessions of a login form a
 * family; its `familyId` stays the same when the session id is rotated.
 *
 * If a login ends between the check at the upgrade and the subscription to the user's channel, this replica misses the
 * announcement that it has ended. Every socket is therefore checked again after the subscription, in one query with all
 * others that opened within `loginRecheckIntervalMs`.
 */
@Injectable()
export class LoginRecheckService {
  private readonly openedSockets = new BatchingQueue<SocketConnection>(
    realtimeLimits.loginRecheckIntervalMs,
    (connections) => this.closeEndedOrExcluded(connections.filter(({ isOpen }) => isOpen)),
  );

  constructor(@Inject(SOCKET_IDENTITY_PORT) private readonly identities: SocketIdentityPort) {}

  /**
   * Checks the login again and closes the socket if it has ended or the user is excluded. Call this after subscribing
   * to the user's channel.
   * @throws errors of PostgreSQL.
   */
  recheck(connection: SocketConnection): Promise<void> {
    return this.openedSockets.add(connection);
  }

  /**
   * Closes the sockets that may not stay open:
   * - with 4401 if the login has ended;
   * - with 4401, after a frame with the standing, if the user is excluded;
   * - with 1012 if the login has a new family, which a change of password or e-mail address starts: the client
   *   reconnects with its new cookie.
   * @throws errors of PostgreSQL.
   */
  async closeEndedOrExcluded(connections: readonly SocketConnection[]): Promise<void> {
    if (connections.length === 0) return;
    const standingByFamily = await this.identities.findLiveFamilies(listFamilyIds(connections));
    const withoutLiveFamily: SocketConnection[] = [];
    for (const connection of connections) {
      const standing = standingByFamily.get(connection.identity.familyId);
      if (!standing) {
        withoutLiveFamily.push(connection);
      } else if (isExcluded(standing)) {
        connection.sendFrame('standing', standing);
        connection.close(closeCodes.notSignedIn);
      }
    }
    if (withoutLiveFamily.length > 0) await this.closeEndedOrRenewed(withoutLiveFamily);
  }

  /** Closes sockets whose family has no valid session: the login has ended, or it has a new family. */
  private async closeEndedOrRenewed(connections: readonly SocketConnection[]): Promise<void> {
    const renewedFamilies = await this.identities.findRenewedFamilies(listFamilyIds(connections));
    for (const connection of connections) {
      const isRenewed = renewedFamilies.has(connection.identity.familyId);
      connection.close(isRenewed ? closeCodes.serviceRestart : closeCodes.notSignedIn);
    }
  }
}
