import { type Friend, type SelfUser } from '@thaw/contract/users';
import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react';
import { type RenderIdeas } from '@/chat-ui/composer/ideas';
import { LoadingMessages } from '@/features/private-chat/components/loading-messages';
import { PrivateChatHeader } from '@/features/private-chat/components/private-chat-header';
import { PrivateConversation } from '@/features/private-chat/components/private-conversation';
import { copy } from '@/features/private-chat/copy';
import { useConversation } from '@/features/private-chat/hooks/use-conversation';
import { useMarkAsRead } from '@/features/private-chat/hooks/use-mark-as-read';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { LoadError } from '@/ui/load-error';

export interface PrivateChatProps {
  me: SelfUser;
  friend: Friend;
  onClose: () => void;
  /**
   * Whether the random chat, which continues beneath the private chat, has a new message of the partner or has started
   * or ended since the private chat was opened (docs/product-decisions.md, A67).
   */
  hasNewsBeneath?: boolean;
  /** Further actions in the header, shown before the button that closes the chat. */
  moreActions?: ReactNode;
  /** Renders ideas for what to write, in the composer. */
  renderIdeas?: RenderIdeas;
  /** Called when the user reports a message of the friend. Must be stable between renders, or all rows render again. */
  onReportMessage?: (messageId: number) => void;
}

/** Esc closes the chat, unless an edit, a reply or a dialog in it has handled the key. */
const useCloseOnEscape = (onClose: () => void): void => {
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onClose();
    };
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, [onClose]);
};

/**
 * Moves the focus to the heading of the chat, and back to the chat's opener when it closes. On desktops the composer
 * then takes the focus from the heading.
 */
const useFocus = (section: RefObject<HTMLElement | null>): void => {
  // A layout effect, so that it runs before the effect with which the composer takes the focus.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    section.current?.querySelector('h1')?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [section]);
};

/** The chat with a friend, shown over the random chat, which continues. */
export const PrivateChat = ({
  me,
  friend,
  onClose,
  hasNewsBeneath = false,
  moreActions,
  renderIdeas,
  onReportMessage,
}: PrivateChatProps) => {
  const section = useRef<HTMLElement>(null);
  const unreadCountWhenShown = useMarkAsRead(me.id, friend.id);
  const { rows, hasOlder, isLoadingOlder, hasFailed, retry, loadOlder } = useConversation(me.id, friend.id);

  useCloseOnEscape(onClose);
  useFocus(section);
  useEffect(
    () =>
      privateChats.onFriendshipEnded((endedFriendId) => {
        if (endedFriendId === friend.id) onClose();
      }),
    [friend.id, onClose],
  );

  return (
    <section
      ref={section}
      aria-label={copy.region(friend.username)}
      className="enter-stage flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-card md:rounded-sheet md:shadow-elevated"
    >
      <PrivateChatHeader
        friend={friend}
        onClose={onClose}
        hasNewsBeneath={hasNewsBeneath}
        moreActions={moreActions}
      />
      {rows ? (
        <PrivateConversation
          me={me}
          friend={friend}
          rows={rows}
          unreadCountWhenShown={unreadCountWhenShown}
          hasOlder={hasOlder}
          isLoadingOlder={isLoadingOlder}
          loadOlder={loadOlder}
          renderIdeas={renderIdeas}
          onReportMessage={onReportMessage}
        />
      ) : hasFailed ? (
        <LoadError text={copy.failed} onRetry={retry} isCentered />
      ) : (
        <LoadingMessages />
      )}
    </section>
  );
};
