import { type LastMessage } from '@thaw/contract/last-message';
import { type Friend } from '@thaw/contract/users';
import { MessageCircle, UserRoundMinus, type LucideIcon } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { copy } from '@/features/friends/copy';
import { cn } from '@/lib/class-names';
import { Badge } from '@/product/badge';
import { Portrait, describePresence } from '@/product/portrait';
import { Button } from '@/ui/button';
import { Tooltip } from '@/ui/tooltip';

export interface FriendRowProps {
  friend: Friend;
  /** Number of unread messages from this friend. */
  unread: number;
  /** Whether the private chat with this friend is open. */
  isOpen: boolean;
  isTyping: boolean;
  /** The unsent draft in the private chat with this friend. */
  draft: string;
  onOpen: () => void;
  onRemove: () => void;
  /** The button of the friend's menu: after Remove Friend, or at the edge of the picture in `FriendPicture`. */
  more?: ReactNode;
  /** Whether the Tab key reaches this row. In a long list it reaches one row; the arrow keys reach the others. */
  isTabStop?: boolean;
}

/** Describes the last message. An empty `preview` means a photo or, with the type `text`, a deleted message. */
const formatPreview = ({ preview, type, senderId }: LastMessage, friendId: number): string => {
  const text = preview || (type === 'text' ? copy.list.deleted : copy.list.photo);
  return senderId === friendId ? text : copy.list.fromMe(text);
};

type StatusLineProps = Pick<FriendRowProps, 'friend' | 'unread' | 'isOpen' | 'isTyping' | 'draft'>;

type Status = 'typing' | 'draft' | 'lastMessage' | 'presence';

const chooseStatus = ({ friend, isOpen, isTyping, draft }: StatusLineProps): Status => {
  if (isTyping) return 'typing';
  // While the chat is open, its composer shows the draft.
  if (draft !== '' && !isOpen) return 'draft';
  return friend.lastMessage ? 'lastMessage' : 'presence';
};

/** Shows that the friend is typing, the unsent draft, the last message or the presence: the first that applies. */
const StatusLine = (props: StatusLineProps) => {
  const { friend, unread, draft } = props;
  const { lastMessage } = friend;
  const status = chooseStatus(props);
  return (
    <p
      className={cn(
        'truncate text-sm text-muted-foreground',
        status === 'typing' && 'font-semibold text-primary',
        status === 'lastMessage' && unread > 0 && 'font-semibold text-foreground',
      )}
    >
      {/* Screen readers always announce the presence; it is visible only when the line has no other content. */}
      <span className={status === 'presence' ? undefined : 'sr-only'}>{describePresence(friend)} </span>
      {status === 'typing' ? copy.list.typing : null}
      {status === 'draft' ? (
        <>
          <span className="font-semibold text-warning">{copy.list.draft}</span> <bdi>{draft}</bdi>
        </>
      ) : null}
      {status === 'lastMessage' && lastMessage ? <bdi>{formatPreview(lastMessage, friend.id)}</bdi> : null}
    </p>
  );
};

interface RowActionProps {
  label: string;
  icon: LucideIcon;
  friendNameId: string;
  tabIndex: number;
  /** State of a toggle button; absent for other buttons. */
  isPressed?: boolean;
  className: string;
  onPress: () => void;
}

const RowAction = ({
  label,
  icon: Icon,
  friendNameId,
  tabIndex,
  isPressed,
  className,
  onPress,
}: RowActionProps) => (
  <Tooltip label={label}>
    <Button
      variant="ghost"
      size="icon"
      tabIndex={tabIndex}
      aria-describedby={friendNameId}
      aria-pressed={isPressed}
      className={cn('text-muted-foreground', className)}
      onClick={onPress}
    >
      <Icon aria-hidden="true" className="size-5" />
      <span className="sr-only">{label}</span>
    </Button>
  </Tooltip>
);

/** A friend in the expanded sidebar. */
export const FriendRow = ({ onOpen, onRemove, more, isTabStop = true, ...statusProps }: FriendRowProps) => {
  const { friend, unread, isOpen } = statusProps;
  const nameId = useId();
  const actionProps = { friendNameId: nameId, tabIndex: isTabStop ? 0 : -1 };
  return (
    <div
      className={cn(
        'relative flex items-center gap-3 rounded-control py-1.5 pr-1 pl-2 transition-colors hover:bg-raised',
        isOpen && 'bg-raised',
      )}
    >
      <Portrait friend={friend} />
      <div className="min-w-0 flex-1">
        <p
          id={nameId}
          dir="auto"
          title={friend.username}
          className={cn('truncate text-left text-base', unread > 0 ? 'font-bold' : 'font-semibold')}
        >
          {friend.username}
        </p>
        <StatusLine {...statusProps} />
      </div>
      <Badge count={unread} label={copy.list.unread} />
      <div className="-ml-1 flex">
        {/*
         * A click anywhere in the row presses this button: it is `static`, so its hit area (`::after`) covers the row,
         * which is `relative`. The other buttons are stacked above it.
         */}
        <RowAction
          {...actionProps}
          label={copy.list.send}
          icon={MessageCircle}
          isPressed={isOpen}
          className="static w-8 after:inset-0 after:translate-0 hover:bg-transparent hover:text-foreground"
          onPress={onOpen}
        />
        <RowAction
          {...actionProps}
          label={copy.list.remove}
          icon={UserRoundMinus}
          className="z-raised hover:text-destructive"
          onPress={onRemove}
        />
        {more}
      </div>
    </div>
  );
};

/** A friend in the collapsed sidebar (80 px wide). Only the picture is visible; its accessible name has the rest. */
export const FriendPicture = ({
  friend,
  unread,
  isOpen,
  onOpen,
  more,
  isTabStop = true,
}: Omit<FriendRowProps, 'onRemove' | 'draft' | 'isTyping'>) => (
  <div className="group relative size-14">
    <Tooltip side="right" label={`${friend.username} · ${describePresence(friend)}`}>
      <button
        type="button"
        tabIndex={isTabStop ? 0 : -1}
        aria-pressed={isOpen}
        className={cn(
          'relative grid size-14 place-items-center rounded-card transition-colors hover:bg-raised',
          isOpen && 'bg-raised',
        )}
        onClick={onOpen}
      >
        <Portrait friend={friend} />
        <span className="sr-only">
          {copy.list.sendTo(friend.username)}, {describePresence(friend)}
        </span>
        <Badge
          count={unread}
          label={copy.list.unread}
          className="absolute top-0 right-0 ring-2 ring-background"
        />
      </button>
    </Tooltip>
    {/* Shown on hover, on focus and while its menu is open; always shown on devices without hover. */}
    <div className="absolute -bottom-1 -left-1 opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 [@media(hover:none)]:opacity-100">
      {more}
    </div>
  </div>
);
