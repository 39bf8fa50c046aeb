import { parseImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { type PrivateMessage, type PrivateReaction } from '@thaw/contract/private-chat';
import { type MessageType } from '@thaw/contract/scalars';
import { truncateGraphemes } from '@thaw/contract/text';

/** A message as the server has it; with the name that this browser gave it, where it was sent from here. */
export type KnownMessage = PrivateMessage & { clientId?: string | undefined };

/** What is known of a conversation: its newest messages without a gap. */
export interface Conversation {
  /** By id, ascending: the one order for both. */
  messages: readonly KnownMessage[];
  /** The server has more before the first. */
  hasOlder: boolean;
}

/** What changes a conversation, whether it was pushed or acknowledged. Applying one twice changes nothing more. */
export type ConversationChange =
  | { type: 'sent'; message: KnownMessage }
  | { type: 'edited'; messageId: number; newContent: string }
  | { type: 'reacted'; messageId: number; reactions: readonly PrivateReaction[] }
  | { type: 'deleted'; messageId: number };

/** What a quote shows of a message, as the server makes it: of an image 'Photo', of a deleted one nothing (A109). */
export const quotedContent = (type: MessageType, content: string, length: number): string => {
  if (content === '') return '';
  switch (type) {
    case 'image':
      return 'Photo';
    case 'text':
      return truncateGraphemes(content, length);
    case 'mixed':
      return truncateGraphemes(parseImageMarkers(content).text, length);
  }
};

const insert = (messages: readonly KnownMessage[], message: KnownMessage): readonly KnownMessage[] => {
  // Nearly always the newest: looked for from the end.
  const before = messages.findLastIndex(({ id }) => id <= message.id);
  const there = messages[before];
  if (there?.id === message.id) {
    if (there.clientId !== undefined || message.clientId === undefined) return messages;
    return messages.with(before, { ...there, clientId: message.clientId });
  }
  return messages.toSpliced(before + 1, 0, message);
};

/** The quotes of a message say what it says now. */
const requote = (message: KnownMessage, source: KnownMessage): KnownMessage => {
  const { replyTo } = message.metadata;
  if (replyTo?.id !== source.id) return message;
  const content = quotedContent(source.type, source.content, limits.replyPreviewInComposer);
  return { ...message, metadata: { replyTo: { ...replyTo, content } } };
};

const change = (
  conversation: Conversation,
  messageId: number,
  to: (message: KnownMessage) => KnownMessage,
): Conversation => {
  const before = conversation.messages.find(({ id }) => id === messageId);
  if (!before || before.isDeleted) return conversation;
  const after = to(before);
  const messages = conversation.messages.map((message) =>
    message === before ? after : after.content === before.content ? message : requote(message, after),
  );
  return { ...conversation, messages };
};

export const apply = (conversation: Conversation, made: ConversationChange): Conversation => {
  switch (made.type) {
    case 'sent': {
      const messages = insert(conversation.messages, made.message);
      return messages === conversation.messages ? conversation : { ...conversation, messages };
    }
    case 'edited':
      return change(conversation, made.messageId, (message) => ({
        ...message,
        content: made.newContent,
        isEdited: true,
      }));
    case 'reacted':
      return change(conversation, made.messageId, (message) => ({
        ...message,
        reactions: [...made.reactions],
      }));
    case 'deleted':
      return change(conversation, made.messageId, (message) => ({
        ...message,
        content: '',
        reactions: [],
        isDeleted: true,
      }));
  }
};

/** Whether a change is about a message that should be here and is not: something was missed. */
export const misses = ({ messages, hasOlder }: Conversation, made: ConversationChange): boolean => {
  if (made.type === 'sent' || messages.some(({ id }) => id === made.messageId)) return false;
  const oldest = messages[0];
  return !hasOlder || (oldest !== undefined && made.messageId > oldest.id);
};

/** An older page before what is known. */
export const prepend = (known: Conversation, older: Conversation): Conversation => {
  const oldest = known.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
  const earlier = older.messages.filter(({ id }) => id < oldest);
  return { messages: [...earlier, ...known.messages], hasOlder: older.hasOlder };
};

/** Freshly read messages keep the names that this browser gave them, so that their rows stay the same rows. */
export const keepNames = (fresh: Conversation, known: Conversation | undefined): Conversation => {
  const names = new Map(known?.messages.map(({ id, clientId }) => [id, clientId]));
  const messages = fresh.messages.map((message) => {
    const clientId = names.get(message.id);
    return clientId === undefined ? message : { ...message, clientId };
  });
  return { ...fresh, messages };
};

/** What toggling a reaction makes of them, until the server says. */
export const toggled = (
  reactions: readonly PrivateReaction[],
  emoji: string,
  userId: number,
): PrivateReaction[] => {
  const without = reactions.filter((other) => other.emoji !== emoji || other.userId !== userId);
  return without.length < reactions.length ? without : [...reactions, { emoji, userId }];
};

/** Where what has not been read begins: the n-th of the friend's last messages; deleted ones do not count. */
export const firstUnreadId = <Id>(
  messages: readonly { id: Id; senderId: number; isDeleted?: boolean }[],
  friendId: number,
  unread: number,
): Id | undefined => {
  let first: Id | undefined;
  let left = unread;
  for (let index = messages.length - 1; index >= 0 && left > 0; index -= 1) {
    const message = messages[index];
    if (message?.senderId !== friendId || message.isDeleted) continue;
    first = message.id;
    left -= 1;
  }
  return first;
};
