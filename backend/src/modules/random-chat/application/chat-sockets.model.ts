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
   * @param event null when this release cannot decode it.
   * @param request the frame that caused the event; its sender receives an ack. Undefined when another process or user
   *   caused the event, or when no ack is wanted.
   */
  sendEvent(
    chat: FoldedChat,
    event: RandomChatEvent | null,
    position: EventPosition,
    request: InboundFrame | undefined,
  ): void {
    let textForBoth: string | undefined;
    for (const connection of this.sockets) {
      if (event && request?.connection === connection) {
        request.answer(buildAck(event, position, chat));
        if (!isSentToSenderToo(event)) continue;
      }
      const { userId } = connection.identity;
      connection.send(
        hasSameFrameForBoth(event)
          ? (textForBoth ??= chat.serialise(chat, event, position, userId))
          : chat.serialise(chat, event, position, userId),
      );
    }
  }

  sendToPartner<E extends 'typing' | 'partner_connection'>(
    userId: number,
    event: E,
    data: Extract<ChatFrame, { event: E }>['data'],
  ): void {
    const text = JSON.stringify({ event, data });
    for (const connection of this.sockets) if (connection.identity.userId !== userId) connection.send(text);
  }
}
