import { type PrivateReaction } from '@thaw/contract/private-chat';
import { type Reactions } from '@thaw/contract/random-chat';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { type OutgoingMessage } from '@/features/private-chat/outgoing';

type PrivateReply = NonNullable<KnownMessage['metadata']['replyTo']>;

const replyOf = (reply: PrivateReply | null): ChatMessage['replyTo'] =>
  reply && {
    messageId: String(reply.id),
    content: reply.content,
    senderId: reply.senderId,
    senderName: reply.senderName,
  };

/** The list of who reacted with what, as the map that the bubbles show. */
export const reactionsOf = (reactions: readonly PrivateReaction[]): Reactions => {
  const map: Reactions = {};
  for (const { emoji, userId } of reactions) {
    const users = [...(map[emoji]?.users ?? []), userId];
    map[emoji] = { count: users.length, users };
  }
  return map;
};

const toRow = (message: KnownMessage): ChatMessage => ({
  id: String(message.id),
  key: message.clientId ?? String(message.id),
  senderId: message.senderId,
  content: message.content,
  type: message.type,
  timestamp: Date.parse(message.createdAt),
  replyTo: replyOf(message.metadata.replyTo),
  reactions: reactionsOf(message.reactions),
  isEdited: message.isEdited,
  isDeleted: message.isDeleted,
  delivery: 'sent',
});

const onItsWay = (message: OutgoingMessage, userId: number): ChatMessage => ({
  id: message.clientId,
  key: message.clientId,
  clientId: message.clientId,
  senderId: userId,
  content: message.content,
  type: message.type,
  timestamp: message.at,
  replyTo: replyOf(message.replyTo),
  reactions: {},
  isEdited: false,
  delivery: message.delivery,
});

/**
 * The rows of a conversation: what is stored by id, then what is on its way. A message that has not changed is the same
 * object as before, so that its row is not drawn again.
 */
export class Rows {
  private readonly made = new WeakMap<KnownMessage | OutgoingMessage, ChatMessage>();

  constructor(private readonly userId: number) {}

  of(messages: readonly KnownMessage[], outgoing: readonly OutgoingMessage[]): ChatMessage[] {
    const stored = new Set(messages.flatMap(({ clientId }) => clientId ?? []));
    return [
      ...messages.map((message) => this.remember(message, () => toRow(message))),
      ...outgoing
        .filter(({ clientId }) => !stored.has(clientId))
        .map((message) => this.remember(message, () => onItsWay(message, this.userId))),
    ];
  }

  private remember(message: KnownMessage | OutgoingMessage, make: () => ChatMessage): ChatMessage {
    const made = this.made.get(message) ?? make();
    this.made.set(message, made);
    return made;
  }
}
