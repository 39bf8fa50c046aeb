import { Injectable, Logger } from '@nestjs/common';
import { type CloseCode, closeCodes } from '@thaw/contract/close-codes';
import { isExcluded } from '@thaw/contract/safety';
import { ProcessEventsService } from '../process-events/process-events.service';
import type { SocketConnection } from './socket-connection.model';
import type { UserChannelMessage } from './user-publisher.service';

/**
 * Applies the messages on a user's channel to the user's sockets on this replica: sends frames and closes sockets. Also
 * publishes events in this process.
 *
 * Sockets belong to a login family: the session ids that replace one another in one login. A change of the password or
 * e-mail address moves the login to a new family (docs/decisions/0021-credential-changes-start-a-new-login-family.md).
 */
@Injectable()
export class UserChannelService {
  private readonly logger = new Logger(UserChannelService.name);

  constructor(private readonly events: ProcessEventsService) {}

  /** @param sockets all sockets of the user on this replica. */
  apply(message: UserChannelMessage, userId: number, sockets: Iterable<SocketConnection>): void {
    switch (message.kind) {
      case 'frame':
        for (const connection of sockets) {
          if (connection.isAuthenticated && connection.id !== message.exceptSocketId)
            connection.send(message.frame);
        }
        return;
      case 'revoke':
        closeSockets(sockets, closeCodes.notSignedIn, ({ identity: { familyId } }) => {
          const isRevoked = message.familyIds === 'all' || message.familyIds.includes(familyId);
          return isRevoked && familyId !== message.exceptFamilyId;
        });
        return;
      case 'restart_family':
        // Clients reconnect after this code, with the cookie of the new family.
        closeSockets(
          sockets,
          closeCodes.serviceRestart,
          ({ identity }) => identity.familyId === message.familyId,
        );
        return;
      case 'close_socket':
        closeSockets(sockets, closeCodes.tooManySockets, ({ id }) => id === message.socketId);
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

const closeSockets = (
  sockets: Iterable<SocketConnection>,
  code: CloseCode,
  isAffected: (connection: SocketConnection) => boolean,
): void => {
  for (const connection of sockets) if (isAffected(connection)) connection.close(code);
};
