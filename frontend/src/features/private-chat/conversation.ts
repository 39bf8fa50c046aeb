import { parseImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { type PrivateMessage, type PrivateReaction } from '@thaw/contract/private-chat';
import { type MessageType } from '@thaw/contract/scalars';
import { truncateGraphemes } from '@thaw/contract/text';

/** A message from the server, with its `clientId` if this browser sent it. */
export type KnownMessage = PrivateMessage & { clientId?: string | undefined };

/** The loaded part of a conversation: its newest messages, without gaps. */
export interface Conversation {
  /** In ascending order of id, which is the same for both users. */
  messages: readonly KnownMessage[];
  /** The server has messages before the first one here. */
  hasOlder: boolean;
}

/** A pushed or acknowledged change of a conversation. Idempotent: applying it twice has no further effect. */
export type ConversationChange =
  | { type: 'sent'; message: KnownMessage }
  | { type: 'edited'; messageId: number; newContent: string }
  | { type: 'reacted'; messageId: number; reactions: readonly PrivateReaction[] }
  | { type: 'deleted'; messageId: number };

/** A quote's text, as the server makes it: 'Photo' for an image, empty for a deleted message (A109). */
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
  // Searches from the end, because the message is nearly always the newest.
  const before = messages.findLastIndex(({ id }) => id <= message.id);
  const there = messages[before];
  if (there?.id === message.id) {
    if (there.clientId !== undefined || message.clientId === undefined) return messages;
    return messages.with(before, { ...there, clientId: message.clientId });
  }
  return messages.toSpliced(before + 1, 0, message);
};

/** Updates the quotes of a message to its present content. */
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

/** Whether a change refers to a message that should be loaded and is not, which means that one was missed. */
export const misses = ({ messages, hasOlder }: Conversation, made: ConversationChange): boolean => {
  if (made.type === 'sent' || messages.some(({ id }) => id === made.messageId)) return false;
  const oldest = messages[0];
  return !hasOlder || (oldest !== undefined && made.messageId > oldest.id);
};

/** Adds an older page before the loaded messages. */
export const prepend = (known: Conversation, older: Conversation): Conversation => {
  const oldest = known.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
  const earlier = older.messages.filter(({ id }) => id < oldest);
  return { messages: [...earlier, ...known.messages], hasOlder: older.hasOlder };
};

/** Copies the `clientId`s of loaded messages to refetched ones, so that their rows keep their keys. */
export const keepNames = (fresh: Conversation, known: Conversation | undefined): Conversation => {
  const names = new Map(known?.messages.map(({ id, clientId }) => [id, clientId]));
  const messages = fresh.messages.map((message) => {
    const clientId = names.get(message.id);
    return clientId === undefined ? message : { ...message, clientId };
  });
  return { ...fresh, messages };
};

/** Toggles a reaction locally, until the server answers. */
export const toggled = (
  reactions: readonly PrivateReaction[],
  emoji: string,
  userId: number,
): PrivateReaction[] => {
  const without = reactions.filter((other) => other.emoji !== emoji || other.userId !== userId);
  return without.length < reactions.length ? without : [...reactions, { emoji, userId }];
};

/** Id of the first unread message: the `unread`-th from the end of those by the friend, without deleted ones. */
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
