import { parseImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { type PrivateMessage, type PrivateReaction } from '@thaw/contract/private-chat';
import { type MessageType } from '@thaw/contract/scalars';
import { truncateGraphemes } from '@thaw/contract/text';

/** A stored message, with its `clientId` (the id that the sending page gave it) if this browser sent it. */
export type KnownMessage = PrivateMessage & { clientId?: string | undefined };

/** The loaded part of a conversation: its newest messages, without gaps. */
export interface Conversation {
  /** In ascending order of id, so that both users see the same order. */
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

/** Returns the text with which a message is quoted, in the form that the server uses. */
const formatQuotedContent = (type: MessageType, content: string): string => {
  if (content === '') return ''; // a deleted message
  switch (type) {
    case 'image':
      return 'Photo';
    case 'text':
      return truncateGraphemes(content, limits.quoteMaxGraphemes);
    case 'mixed': // text with image markers
      return truncateGraphemes(parseImageMarkers(content).text, limits.quoteMaxGraphemes);
  }
};

const insertMessage = (messages: readonly KnownMessage[], message: KnownMessage): readonly KnownMessage[] => {
  // Searches from the end, because the message is nearly always the newest.
  const index = messages.findLastIndex(({ id }) => id <= message.id);
  const existing = messages[index]; // undefined if all loaded messages are newer (index -1)
  if (existing?.id !== message.id) return messages.toSpliced(index + 1, 0, message);
  // Both a push and the ack may report the message, and the push may lack the `clientId`.
  const isClientIdNew = existing.clientId === undefined && message.clientId !== undefined;
  return isClientIdNew ? messages.with(index, { ...existing, clientId: message.clientId }) : messages;
};

/** If `message` quotes `quoted`, updates the quote to the current content of `quoted`. */
const updateQuote = (message: KnownMessage, quoted: KnownMessage): KnownMessage => {
  const { replyTo } = message.metadata;
  if (replyTo?.id !== quoted.id) return message;
  const content = formatQuotedContent(quoted.type, quoted.content);
  return { ...message, metadata: { replyTo: { ...replyTo, content } } };
};

/** Changes a message and its quotes in other messages. A deleted message stays as it is: no late change restores it. */
const updateMessage = (
  conversation: Conversation,
  messageId: number,
  update: (message: KnownMessage) => KnownMessage,
): Conversation => {
  const before = conversation.messages.find(({ id }) => id === messageId);
  if (!before || before.isDeleted) return conversation;
  const after = update(before);
  const isContentChanged = after.content !== before.content;
  const messages = conversation.messages.map((message) => {
    if (message === before) return after;
    return isContentChanged ? updateQuote(message, after) : message;
  });
  return { ...conversation, messages };
};

/** Returns the conversation with a change applied. Unaffected messages stay the same objects. */
export const applyChange = (conversation: Conversation, change: ConversationChange): Conversation => {
  switch (change.type) {
    case 'sent': {
      const messages = insertMessage(conversation.messages, change.message);
      return messages === conversation.messages ? conversation : { ...conversation, messages };
    }
    case 'edited':
      return updateMessage(conversation, change.messageId, (message) => ({
        ...message,
        content: change.newContent,
        isEdited: true,
      }));
    case 'reacted':
      return updateMessage(conversation, change.messageId, (message) => ({
        ...message,
        reactions: [...change.reactions],
      }));
    case 'deleted':
      return updateMessage(conversation, change.messageId, (message) => ({
        ...message,
        content: '',
        reactions: [],
        isDeleted: true,
      }));
  }
};

/** Whether a change refers to a message that should be loaded and is not: the push of that message was missed. */
export const refersToMissedMessage = (
  { messages, hasOlder }: Conversation,
  change: ConversationChange,
): boolean => {
  if (change.type === 'sent') return false;
  const { messageId } = change;
  const isLoaded = messages.some(({ id }) => id === messageId);
  const oldestId = messages[0]?.id;
  const isOnOlderPage = hasOlder && (oldestId === undefined || messageId < oldestId);
  return !isLoaded && !isOnOlderPage;
};

/** Adds an older page before the loaded messages; messages that are already loaded are left out. */
export const prependPage = (loaded: Conversation, older: Conversation): Conversation => {
  const oldestLoadedId = loaded.messages[0]?.id ?? Number.MAX_SAFE_INTEGER;
  const added = older.messages.filter(({ id }) => id < oldestLoadedId);
  return { messages: [...added, ...loaded.messages], hasOlder: older.hasOlder };
};

/** Copies the `clientId`s of loaded messages to refetched ones, so that their rows keep their React keys. */
export const keepClientIds = (fresh: Conversation, loaded: Conversation | undefined): Conversation => {
  const clientIds = new Map(loaded?.messages.map(({ id, clientId }) => [id, clientId]));
  const messages = fresh.messages.map((message) => {
    const clientId = clientIds.get(message.id);
    return clientId === undefined ? message : { ...message, clientId };
  });
  return { ...fresh, messages };
};

/** Returns the reactions after a user has toggled an emoji, to show until the server's response arrives. */
export const toggleReaction = (
  reactions: readonly PrivateReaction[],
  emoji: string,
  userId: number,
): PrivateReaction[] => {
  const others = reactions.filter((other) => other.emoji !== emoji || other.userId !== userId);
  return others.length < reactions.length ? others : [...reactions, { emoji, userId }];
};

/**
 * Returns the id of the first unread message, undefined if none is unread. The unread messages are the friend's last
 * `unreadCount` messages, not counting deleted ones. If fewer are loaded, the first loaded one of them is returned.
 * @template Id string for the rows of the message list (`ChatMessage`), number for stored messages (`PrivateMessage`)
 */
export const findFirstUnreadId = <Id>(
  messages: readonly { id: Id; senderId: number; isDeleted?: boolean }[],
  friendId: number,
  unreadCount: number,
): Id | undefined => {
  const received = messages.filter(({ senderId, isDeleted }) => senderId === friendId && !isDeleted);
  const firstIndex = Math.max(0, received.length - unreadCount);
  return received[firstIndex]?.id;
};
