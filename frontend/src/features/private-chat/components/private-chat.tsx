import { type Friend, type SelfUser } from '@thaw/contract/users';
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { LoadingMessages } from '@/features/private-chat/components/loading-messages';
import { PrivateChatHeader } from '@/features/private-chat/components/private-chat-header';
import { PrivateConversation } from '@/features/private-chat/components/private-conversation';
import { copy } from '@/features/private-chat/copy';
import { useConversation } from '@/features/private-chat/hooks/use-conversation';
import { useReading } from '@/features/private-chat/hooks/use-reading';
import { privateChat } from '@/features/private-chat/stores/private-chat.store';
import { LoadError } from '@/ui/load-error';

export interface PrivateChatProps {
  me: SelfUser;
  friend: Friend;
  onClose: () => void;
  /** Something happened in the random chat beneath (A67). */
  hasNewsBeneath?: boolean;
}

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

/** The focus moves into the chat, and back to what opened it when it closes. On a desk the composer takes it over. */
const useFocus = (section: RefObject<HTMLElement | null>): void => {
  // Before the composer's own effect, which takes the focus over from the heading.
  useLayoutEffect(() => {
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
      <PrivateChatHeader friend={friend} onClose={onClose} hasNewsBeneath={hasNewsBeneath} />
      {rows ? (
        <PrivateConversation
          me={me}
          friend={friend}
          rows={rows}
          waited={waited}
          hasOlder={hasOlder}
          isLoadingOlder={isLoadingOlder}
          loadOlder={loadOlder}
        />
      ) : hasFailed ? (
        <LoadError text={copy.failed} onRetry={retry} isCentered />
      ) : (
        <LoadingMessages />
      )}
    </section>
  );
};
