import { type PrivateReaction } from '@thaw/contract/private-chat';
import { type Reactions } from '@thaw/contract/random-chat';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { type PendingChanges } from '@/features/private-chat/stores/message-changes';

const toReply = (reply: KnownMessage['metadata']['replyTo']): ChatMessage['replyTo'] =>
  reply && {
    messageId: String(reply.id),
    content: reply.content,
    senderId: reply.senderId,
    senderName: reply.senderName,
  };

/** Converts the list of reactions to the map that the bubbles show. */
export const toReactionCounts = (reactions: readonly PrivateReaction[]): Reactions => {
  const counts: Reactions = {};
  for (const { emoji, userId } of reactions) {
    const users = [...(counts[emoji]?.users ?? []), userId];
    counts[emoji] = { count: users.length, users };
  }
  return counts;
};

const toRow = (message: KnownMessage): ChatMessage => ({
  id: String(message.id),
  // The key that the row had before the message was stored, so the row is not mounted again.
  key: message.clientId ?? String(message.id),
  senderId: message.senderId,
  content: message.content,
  type: message.type,
  timestamp: Date.parse(message.createdAt),
  replyTo: toReply(message.metadata.replyTo),
  reactions: toReactionCounts(message.reactions),
  isEdited: message.isEdited,
  isDeleted: message.isDeleted,
  delivery: 'sent',
});

/** Returns a row with the user's pending changes. */
const applyPendingChanges = (
  row: ChatMessage,
  newContent: string | undefined,
  isDeleted: boolean,
): ChatMessage => {
  if (isDeleted) return { ...row, content: '', reactions: {}, isDeleted: true };
  return newContent === undefined ? row : { ...row, content: newContent, isEdited: true };
};

/**
 * Converts messages to rows, with the user's pending changes. As long as a message stays the same object and has no
 * pending change, its row stays the same object too, so that it is not rendered again.
 */
export class RowCache {
  private readonly rows = new WeakMap<KnownMessage, ChatMessage>();

  toRows(messages: readonly KnownMessage[], { edits, deletions }: PendingChanges): ChatMessage[] {
    const newContents = new Map(edits.map(({ messageId, newContent }) => [messageId, newContent]));
    const deletedIds = new Set(deletions.map(({ messageId }) => messageId));
    return messages.map((message) => {
      const row = this.rows.get(message) ?? toRow(message);
      this.rows.set(message, row);
      return applyPendingChanges(row, newContents.get(message.id), deletedIds.has(message.id));
    });
  }
}
