import { privateChatPickerEmojis } from '@thaw/contract/emojis';
import { type Friend, type SelfUser } from '@thaw/contract/users';
import { X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { type ChatMessage, type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { Conversation } from '@/chat-ui/conversation';
import { copy as chatCopy } from '@/chat-ui/copy';
import { type ConversationHandle } from '@/chat-ui/message-list';
import { uploadPicture } from '@/features/private-chat/api/upload-picture';
import { TimeStamp, UnreadDivider } from '@/features/private-chat/components/above-message';
import { LoadingMessages } from '@/features/private-chat/components/loading-messages';
import { RemoveMessage } from '@/features/private-chat/components/remove-message';
import { firstUnreadId } from '@/features/private-chat/conversation';
import { copy } from '@/features/private-chat/copy';
import { privateChat, usePrivateChat, type Outcome } from '@/features/private-chat/private-chat.store';
import { isStamped } from '@/features/private-chat/time-stamp';
import { useConversation } from '@/features/private-chat/use-conversation';
import { useReading } from '@/features/private-chat/unread-counts';
import { cn } from '@/lib/class-names';
import { useIsConnected } from '@/lib/socket/connection';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';

export interface PrivateChatProps {
  me: SelfUser;
  friend: Friend;
  onClose: () => void;
  /** Something happened in the random chat beneath (A67). */
  hasNewsBeneath?: boolean;
}

const capabilities = { reply: true, edit: true, react: true, delete: true, attach: true } as const;

/** How many pages are loaded at most in search of a message that is quoted. */
const quotePagesMax = 20;

const Header = ({ friend, onClose, hasNewsBeneath = false }: Omit<PrivateChatProps, 'me'>) => {
  const isTyping = usePrivateChat((state) => state.typing.includes(friend.id));
  return (
    <header className="border-b border-border">
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-3 md:px-6">
        <span className="relative shrink-0">
          <Avatar id={friend.id} name={friend.username} picture={friend.avatar} />
          <span
            aria-hidden="true"
            className={cn(
              'absolute right-0 bottom-0 size-3 rounded-full ring-2 ring-card',
              friend.isOnline ? 'bg-success' : 'border-2 border-muted-foreground bg-card',
            )}
          />
        </span>
        <div className="min-w-0 flex-1">
          <h1 tabIndex={-1} className="truncate text-md font-bold outline-none">
            <bdi>{friend.username}</bdi>
          </h1>
          <p role="status" className="truncate text-sm text-muted-foreground">
            {isTyping ? copy.typing(friend.username) : friend.isOnline ? copy.online : copy.offline}
          </p>
        </div>
        <Button variant="ghost" size="icon" onClick={onClose}>
          <X aria-hidden="true" className="size-5" />
          <span className="sr-only">{hasNewsBeneath ? copy.closeWithNews : copy.close}</span>
          {hasNewsBeneath ? (
            <span
              aria-hidden="true"
              className="absolute top-2 right-2 size-2.5 rounded-full bg-primary ring-2 ring-card"
            />
          ) : null}
        </Button>
      </div>
    </header>
  );
};

const TypingLine = ({ friend }: { friend: Friend }) => {
  const isTyping = usePrivateChat((state) => state.typing.includes(friend.id));
  return (
    <div aria-hidden="true" className="h-8 pt-2 pl-10 text-muted-foreground">
      {isTyping ? (
        <span className="typing-dots enter-rise">
          <i />
          <i />
          <i />
        </span>
      ) : null}
    </div>
  );
};

/** Esc closes the chat, unless something in it has taken the key for itself: an edit, a reply, a dialog. */
const useEscape = (onEscape: () => void): void => {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onEscape();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [onEscape]);
};

/** Whoever opened it by keyboard is in it, and back where he was when it closes. */
const useFocus = (section: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const opener = document.activeElement;
    section.current?.querySelector('h1')?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [section]);
};

/** The chat with a friend, over the chat area. What goes on beneath it goes on. */
export const PrivateChat = ({ me, friend, onClose, hasNewsBeneath = false }: PrivateChatProps) => {
  const section = useRef<HTMLElement>(null);
  const waited = useReading(me.id, friend.id);
  const { rows, hasOlder, isLoadingOlder, hasFailed, retry, loadOlder } = useConversation(me.id, friend.id);

  useEscape(onClose);
  useFocus(section);
  useEffect(
    () => privateChat.onParted((friendId) => (friendId === friend.id ? onClose() : undefined)),
    [friend.id, onClose],
  );

  return (
    <section
      ref={section}
      aria-label={copy.region(friend.username)}
      className="enter-stage flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-card md:rounded-sheet md:shadow-elevated"
    >
      <Header friend={friend} onClose={onClose} hasNewsBeneath={hasNewsBeneath} />
      {rows ? (
        <Talk
          me={me}
          friend={friend}
          rows={rows}
          waited={waited}
          hasOlder={hasOlder}
          isLoadingOlder={isLoadingOlder}
          loadOlder={loadOlder}
        />
      ) : hasFailed ? (
        <div role="alert" className="m-auto grid justify-items-center gap-4 p-6 text-center">
          <p className="text-md text-muted-foreground">{copy.failed.text}</p>
          <Button variant="secondary" onClick={retry}>
            {copy.failed.again}
          </Button>
        </div>
      ) : (
        <LoadingMessages />
      )}
    </section>
  );
};

interface TalkProps {
  me: SelfUser;
  friend: Friend;
  rows: ChatMessage[];
  /** How many messages waited when the chat came into sight. */
  waited: number;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  loadOlder: () => Promise<boolean>;
}

/** Where the unread begins stays where it was when the chat came into sight, whatever is written then. */
const useDivider = (rows: ChatMessage[], friendId: number, waited: number): string | undefined => {
  const [marked, setMarked] = useState<{ waited: number; id: string | undefined }>({
    waited: 0,
    id: undefined,
  });
  if (marked.waited !== waited) {
    // None waited: a new look at an old divider leaves it.
    setMarked({ waited, id: waited > 0 ? firstUnreadId(rows, friendId, waited) : marked.id });
  }
  return marked.id;
};

const Talk = ({ me, friend, rows, waited, hasOlder, isLoadingOlder, loadOlder }: TalkProps) => {
  const handle = useRef<ConversationHandle>(null);
  const isConnected = useIsConnected();
  const isTooFast = usePrivateChat((state) => state.tooFastTo === friend.id);
  const [trouble, setTrouble] = useState<'not_connected' | 'not_saved' | null>(null);
  const [removing, setRemoving] = useState<number | null>(null);
  const [sought, setSought] = useState<string | null>(null);
  const dividerId = useDivider(rows, friend.id, waited);

  // The line stays until the connection is back.
  if (isConnected && trouble === 'not_connected') setTrouble(null);

  // The same functions at every render: rows are drawn again only when they change.
  const commands = useMemo(() => {
    const heed = (outcome: Outcome): boolean => {
      setTrouble(outcome === 'done' ? null : outcome);
      return outcome === 'done';
    };
    return {
      onSend: ({ content, type, replyTo }: Outgoing) =>
        heed(
          privateChat.say(friend.id, {
            content,
            type,
            replyTo: replyTo && {
              id: Number(replyTo.messageId),
              content: replyTo.content,
              senderId: replyTo.senderId,
              senderName: replyTo.senderName,
            },
          }),
        ),
      onEdit: (messageId: string, text: string) => {
        if (!heed(privateChat.canSend() ? 'done' : 'not_connected')) return false;
        void privateChat.edit(friend.id, Number(messageId), text).then((isStored) => {
          if (!isStored) setTrouble('not_saved');
        });
        return true;
      },
      onReact: (messageId: string, emoji: string) =>
        void heed(privateChat.react(friend.id, Number(messageId), emoji)),
      onRetry: (clientId: string) => void heed(privateChat.retry(clientId)),
      onDelete: (messageId: string) => setRemoving(Number(messageId)),
      isAbleToSend: () => heed(privateChat.canSend() ? 'done' : 'not_connected'),
      onType: () => privateChat.typed(friend.id),
      onReturned: (take: (returned: Returned) => void) =>
        privateChat.onReturned((message) => {
          if (message.friendId !== friend.id) return false;
          take(message);
          return true;
        }),
    };
  }, [friend.id]);
  const draft = useMemo(
    () => ({
      initial: privateChat.drafts.of(friend.id),
      onChange: (text: string) => privateChat.drafts.keep(friend.id, text),
    }),
    [friend.id],
  );

  const renderAbove = useCallback(
    (message: ChatMessage, previous: ChatMessage | undefined) => {
      const stamped = isStamped(message.timestamp, previous?.timestamp);
      const isDivided = message.id === dividerId;
      if (!stamped && !isDivided) return null;
      return (
        <>
          {stamped ? <TimeStamp at={message.timestamp} /> : null}
          {isDivided ? <UnreadDivider /> : null}
        </>
      );
    },
    [dividerId],
  );

  const reachTop = useMemo(() => (hasOlder ? () => void loadOlder() : undefined), [hasOlder, loadOlder]);

  // A quote of what is further back: the pages before are loaded until it is there.
  const seek = useCallback(
    (messageId: string) => {
      void (async () => {
        for (let page = 0; page < quotePagesMax; page += 1) {
          if (privateChat.knows(friend.id, Number(messageId))) return setSought(messageId);
          if (!(await loadOlder())) return;
        }
      })();
    },
    [friend.id, loadOlder],
  );
  const isFound = sought !== null && rows.some(({ id }) => id === sought);
  useEffect(() => {
    if (isFound) handle.current?.jumpTo(sought);
  }, [isFound, sought]);

  const notice =
    trouble === 'not_connected'
      ? chatCopy.composer.notSent
      : isTooFast
        ? copy.slowDown
        : trouble === 'not_saved'
          ? copy.notSaved
          : null;

  return (
    <>
      <Conversation
        ref={handle}
        label={copy.messages}
        me={me}
        partner={friend}
        messages={rows}
        capabilities={capabilities}
        {...commands}
        upload={uploadPicture}
        draft={draft}
        pickerEmojis={privateChatPickerEmojis}
        partnerImages="shown"
        notice={notice}
        renderAbove={renderAbove}
        hidesTimes
        {...(reachTop ? { onReachTop: reachTop } : {})}
        onMissingSource={seek}
        top={
          hasOlder ? (
            <p className="h-10 pt-4 text-center text-sm text-muted-foreground">
              {isLoadingOlder ? copy.loadingOlder : null}
            </p>
          ) : (
            <p className="px-6 pt-8 pb-2 text-center text-sm text-muted-foreground">
              {copy.beginning(friend.username)}
            </p>
          )
        }
        footer={<TypingLine friend={friend} />}
      />
      {removing === null ? null : (
        <RemoveMessage
          friendName={friend.username}
          onDismiss={() => setRemoving(null)}
          onConfirm={() => {
            setRemoving(null);
            if (privateChat.remove(friend.id, removing) === 'not_connected') setTrouble('not_connected');
          }}
        />
      )}
    </>
  );
};
