import { type LastMessage } from '@thaw/contract/last-message';
import { type Friend } from '@thaw/contract/users';
import { MessageCircle, UserRoundMinus } from 'lucide-react';
import { useId } from 'react';
import { Portrait } from '@/features/friends/components/portrait';
import { copy } from '@/features/friends/copy';
import { cn } from '@/lib/class-names';
import { Badge } from '@/product/badge';
import { Button } from '@/ui/button';
import { Tooltip } from '@/ui/tooltip';

export interface FriendRowProps {
  friend: Friend;
  unread: number;
  /** Their private chat lies open. */
  isOpen: boolean;
  isTyping: boolean;
  /** What was begun in their private chat and not sent. */
  draft: string;
  onOpen: () => void;
  onRemove: () => void;
  /** False where another row of a long list is the one that Tab reaches. */
  isTabStop?: boolean;
}

export const presenceText = ({ isOnline }: Friend): string =>
  isOnline ? copy.list.online : copy.list.offline;

const previewOf = ({ preview, type, senderId }: LastMessage, friendId: number): string => {
  const text = preview || (type === 'text' ? copy.list.deleted : copy.list.photo);
  return senderId === friendId ? text : copy.list.fromMe(text);
};

type LineProps = Pick<FriendRowProps, 'friend' | 'unread' | 'isOpen' | 'isTyping' | 'draft'>;

/** What is newest between the two: typing, an unsent draft, the last message; presence where there is none. */
const Line = ({ friend, unread, isOpen, isTyping, draft }: LineProps) => {
  const { lastMessage } = friend;
  const presence = <span className="sr-only">{presenceText(friend)} </span>;
  if (isTyping) {
    return (
      <p className="truncate text-sm font-semibold text-primary">
        {presence}
        {copy.list.typing}
      </p>
    );
  }
  // While the chat is open its composer shows the draft.
  if (draft !== '' && !isOpen) {
    return (
      <p className="truncate text-sm text-muted-foreground">
        {presence}
        <span className="font-semibold text-warning">{copy.list.draft}</span> <bdi>{draft}</bdi>
      </p>
    );
  }
  if (!lastMessage) {
    return <p className="truncate text-sm text-muted-foreground">{presenceText(friend)}</p>;
  }
  return (
    <p
      className={cn(
        'truncate text-sm',
        unread > 0 ? 'font-semibold text-foreground' : 'text-muted-foreground',
      )}
    >
      {presence}
      <bdi>{previewOf(lastMessage, friend.id)}</bdi>
    </p>
  );
};

export const FriendRow = ({ onOpen, onRemove, isTabStop = true, ...row }: FriendRowProps) => {
  const { friend, unread, isOpen } = row;
  const nameId = useId();
  const tabIndex = isTabStop ? 0 : -1;
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
        <Line {...row} />
      </div>
      <Badge count={unread} label={copy.list.unread} />
      <div className="flex">
        <Tooltip label={copy.list.send}>
          {/* The whole row answers to a click. */}
          <Button
            variant="ghost"
            size="icon"
            tabIndex={tabIndex}
            aria-describedby={nameId}
            aria-pressed={isOpen}
            className="static text-muted-foreground after:inset-0 after:top-0 after:left-0 after:translate-0 hover:bg-transparent hover:text-foreground"
            onClick={onOpen}
          >
            <MessageCircle aria-hidden="true" className="size-5" />
            <span className="sr-only">{copy.list.send}</span>
          </Button>
        </Tooltip>
        <Tooltip label={copy.list.remove}>
          <Button
            variant="ghost"
            size="icon"
            tabIndex={tabIndex}
            aria-describedby={nameId}
            className="z-raised text-muted-foreground hover:text-destructive"
            onClick={onRemove}
          >
            <UserRoundMinus aria-hidden="true" className="size-5" />
            <span className="sr-only">{copy.list.remove}</span>
          </Button>
        </Tooltip>
      </div>
    </div>
  );
};

/** In the rail of 80 px: the picture alone, with all else in its name. */
export const FriendPicture = ({
  friend,
  unread,
  isOpen,
  onOpen,
  isTabStop = true,
}: Omit<FriendRowProps, 'onRemove' | 'draft' | 'isTyping'>) => (
  <Tooltip side="right" label={`${friend.username} · ${presenceText(friend)}`}>
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
        {copy.list.sendTo(friend.username)}, {presenceText(friend)}
      </span>
      <Badge
        count={unread}
        label={copy.list.unread}
        className="absolute top-0 right-0 ring-2 ring-background"
      />
    </button>
  </Tooltip>
);
