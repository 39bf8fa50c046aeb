import { type Friend } from '@thaw/contract/users';
import { X } from 'lucide-react';
import { type ReactNode } from 'react';
import { copy as chatCopy } from '@/chat-ui/copy';
import { copy } from '@/features/private-chat/copy';
import { usePrivateChats } from '@/features/private-chat/stores/private-chat.store';
import { Portrait, describePresence } from '@/product/portrait';
import { Button } from '@/ui/button';

export interface PrivateChatHeaderProps {
  friend: Friend;
  onClose: () => void;
  /** Whether the random chat beneath the private chat has changed since the private chat was opened. */
  hasNewsBeneath: boolean;
  /** Further actions, shown before the button that closes the chat. */
  moreActions?: ReactNode;
}

export const PrivateChatHeader = ({
  friend,
  onClose,
  hasNewsBeneath,
  moreActions,
}: PrivateChatHeaderProps) => {
  const isTyping = usePrivateChats((state) => state.typing.includes(friend.id));
  return (
    <header
      // `data-controls` marks a bar that toasts must not cover (use-toast-top.ts).
      data-controls=""
      className="border-b border-border"
    >
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-3 md:px-6">
        <Portrait friend={friend} ground="card" />
        <div className="min-w-0 flex-1">
          {/* Focusable, because `PrivateChat` moves the focus to it. */}
          <h1 tabIndex={-1} className="truncate text-md font-bold outline-none">
            <bdi>{friend.username}</bdi>
          </h1>
          <p className="truncate text-sm text-muted-foreground">
            {/* While the friend is typing, only screen readers get the presence. */}
            <span role="status" className={isTyping ? 'sr-only' : undefined}>
              {describePresence(friend)}
            </span>
            {/* PrivateConversation announces to screen readers that the friend is typing. */}
            {isTyping ? <span aria-hidden="true">{chatCopy.message.typing(friend.username)}</span> : null}
          </p>
        </div>
        {moreActions}
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
