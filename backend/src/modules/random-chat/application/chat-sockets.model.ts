import type { InboundFrame } from '../../../platform/realtime/inbound-frame.model';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import type { EventPosition, RandomChatEvent } from '../domain/random-chat.events';
import { buildAck, type ChatFrame, hasSameFrameForBoth, isSentToSenderToo } from './chat-frame.mapper';
import type { FoldedChat } from './folded-chat.model';

/** The sockets of this replica that are in one chat. */
export class ChatSockets implements Iterable<SocketConnection> {
  private readonly sockets = new Set<SocketConnection>();

  get isEmpty(): boolean {
    return this.sockets.size === 0;
  }

  [Symbol.iterator](): Iterator<SocketConnection> {
    return this.sockets.values();
  }

  add(connection: SocketConnection): void {
    this.sockets.add(connection);
  }

  delete(connection: SocketConnection): void {
    this.sockets.delete(connection);
  }

  /**
   * Sends an event to every socket.
   * @param event null when this release cannot decode the event; the frame is then `session_advanced`.
   * @param commandFrame the client's frame that caused the event. Its socket receives an ack, and the event only if
   *   `isSentToSenderToo`. Undefined when no frame on this replica caused the event, or when the client expects no ack.
   */
  sendEvent(
    chat: FoldedChat,
    event: RandomChatEvent | null,
    position: EventPosition,
    commandFrame: InboundFrame | undefined,
  ): void {
    let textForBoth: string | undefined;
    for (const connection of this.sockets) {
      if (event && commandFrame?.connection === connection) {
        commandFrame.answer(buildAck(event, position, chat));
        if (!isSentToSenderToo(event)) continue;
      }
      const { userId } = connection.identity;
      connection.send(
        hasSameFrameForBoth(event)
          ? (textForBoth ??= chat.serialise(event, position, userId))
          : chat.serialise(event, position, userId),
      );
    }
  }

  /** Sends a frame to every socket of the user's partner. */
  sendToPartner<E extends 'typing' | 'partner_connection'>(
    userId: number,
    event: E,
    data: Extract<ChatFrame, { event: E }>['data'],
  ): void {
    const text = JSON.stringify({ event, data });
    for (const connection of this.sockets) if (connection.identity.userId !== userId) connection.send(text);
  }
}
