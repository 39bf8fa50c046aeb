import { privateChatPickerEmojis } from '@thaw/contract/emojis';
import { type Friend, type SelfUser } from '@thaw/contract/users';
import { useCallback, useMemo, useRef } from 'react';
import { ChatContext, type Chat } from '@/chat-ui/chat-context';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { Conversation } from '@/chat-ui/conversation';
import { type DraftStorage } from '@/chat-ui/composer/draft';
import { type RenderIdeas } from '@/chat-ui/composer/ideas';
import { type ConversationHandle } from '@/chat-ui/message-list/use-jump';
import { TypingLine } from '@/chat-ui/typing/typing-line';
import { TimeStamp, UnreadDivider } from '@/features/private-chat/components/above-message';
import { copy } from '@/features/private-chat/copy';
import { useDeleteMessage } from '@/features/private-chat/hooks/use-delete-message';
import { useJumpToMessage } from '@/features/private-chat/hooks/use-jump-to-message';
import { useUnreadDivider } from '@/features/private-chat/hooks/use-unread-divider';
import { messageChanges } from '@/features/private-chat/stores/message-changes';
import { privateChats, usePrivateChats } from '@/features/private-chat/stores/private-chat.store';
import { needsTimeStamp } from '@/features/private-chat/time-stamp';

const capabilities = {
  reply: true,
  edit: true,
  react: true,
  delete: true,
  attach: true,
  report: true,
} as const;

/** Above the first loaded message: a note that older ones are loading, or that the conversation begins here. */
const TopNote = ({
  friend,
  hasOlder,
  isLoadingOlder,
}: {
  friend: Friend;
  hasOlder: boolean;
  isLoadingOlder: boolean;
}) =>
  hasOlder ? (
    <p className="h-10 pt-4 text-center text-sm text-muted-foreground">
      {isLoadingOlder ? copy.loadingOlder : null}
    </p>
  ) : (
    <p className="px-6 pt-8 pb-2 text-center text-sm text-muted-foreground">
      {copy.beginning(friend.username)}
    </p>
  );

/** Below the last message: whether the friend is typing. */
const TypingNote = ({ friend, rows }: { friend: Friend; rows: readonly ChatMessage[] }) => {
  const isTyping = usePrivateChats((state) => state.typing.includes(friend.id));
  return (
    <TypingLine
      isTyping={isTyping}
      name={friend.username}
      partnerMessageKey={rows.findLast(({ senderId }) => senderId === friend.id)?.key}
    />
  );
};

const createDraftStorage = (friendId: number): DraftStorage => ({
  read: () => privateChats.drafts.get(friendId),
  write: (draft) => privateChats.drafts.set(friendId, draft),
  onOtherTabChange: (listener) =>
    privateChats.drafts.onOtherTabChange((changedFriendId) => {
      if (changedFriendId === friendId) listener();
    }),
});

export interface PrivateConversationProps {
  me: SelfUser;
  friend: Friend;
  /** The loaded messages, as the message list shows them. */
  rows: ChatMessage[];
  /** Number of unread messages when the chat became visible. */
  unreadCountWhenShown: number;
  /** The server has messages before the first one in `rows`. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  /** Resolves to false when there is nothing older or the request fails. */
  loadOlder: () => Promise<boolean>;
  /** Renders suggestions of what to write. */
  renderIdeas?: RenderIdeas | undefined;
  /** Must be stable between renders, or all rows render again. */
  onReportMessage?: ((messageId: number) => void) | undefined;
}

/** The loaded messages of a private chat, with its composer. */
export const PrivateConversation = ({
  me,
  friend,
  rows,
  unreadCountWhenShown,
  hasOlder,
  isLoadingOlder,
  loadOlder,
  renderIdeas,
  onReportMessage,
}: PrivateConversationProps) => {
  const handle = useRef<ConversationHandle>(null);
  const dividerId = useUnreadDivider(rows, friend.id, unreadCountWhenShown);
  const jumpToMessage = useJumpToMessage(friend.id, rows, loadOlder, handle);
  const deleteMessage = useDeleteMessage(friend.id);

  // Memoized: a new object would render every row again. Ids are strings in the message list, numbers in private chats.
  const chat = useMemo<Chat>(
    () => ({
      conversationId: String(friend.id),
      me,
      partner: friend,
      capabilities,
      isWithStranger: false,
      pickerEmojis: privateChatPickerEmojis,
      outbox: privateChats.outbox,
      commands: {
        edit: (messageId, text) => messageChanges.edit(friend.id, Number(messageId), text),
        react: (messageId, emoji) => messageChanges.react(friend.id, Number(messageId), emoji),
        delete: deleteMessage,
        notifyTyping: () => privateChats.notifyTyping(friend.id),
        loadAndJumpTo: jumpToMessage,
        ...(onReportMessage ? { report: (messageId) => onReportMessage(Number(messageId)) } : {}),
      },
    }),
    [me, friend, deleteMessage, jumpToMessage, onReportMessage],
  );
  const draftStorage = useMemo(() => createDraftStorage(friend.id), [friend.id]);

  const renderAbove = useCallback(
    (message: ChatMessage, previous: ChatMessage | undefined) => {
      const hasTimeStamp = needsTimeStamp(message.timestamp, previous?.timestamp);
      const hasDivider = message.id === dividerId;
      if (!hasTimeStamp && !hasDivider) return null;
      return (
        <>
          {hasTimeStamp ? <TimeStamp timestamp={message.timestamp} /> : null}
          {hasDivider ? <UnreadDivider /> : null}
        </>
      );
    },
    [dividerId],
  );

  const loadOlderAtTop = useCallback(() => void loadOlder(), [loadOlder]);

  return (
    <ChatContext value={chat}>
      <Conversation
        ref={handle}
        label={copy.messages}
        messages={rows}
        draft={draftStorage}
        startAt={dividerId}
        renderAbove={renderAbove}
        hidesTimes // `renderAbove` shows timestamps instead.
        onReachTop={hasOlder ? loadOlderAtTop : undefined}
        top={<TopNote friend={friend} hasOlder={hasOlder} isLoadingOlder={isLoadingOlder} />}
        footer={<TypingNote friend={friend} rows={rows} />}
        renderIdeas={renderIdeas}
      />
    </ChatContext>
  );
};
