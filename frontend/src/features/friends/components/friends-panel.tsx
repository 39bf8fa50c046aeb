import { type Friend } from '@thaw/contract/users';
import { MessageCircle, UserRoundMinus } from 'lucide-react';
import { useId, useRef, type ReactNode } from 'react';
import { useFriends } from '@/features/friends/api/friends';
import { NoFriends } from '@/features/friends/components/no-friends';
import { copy } from '@/features/friends/copy';
import { sortFriends, type Unread } from '@/features/friends/friend-list';
import { useRemoveFriend } from '@/features/friends/use-remove-friend';
import { cn } from '@/lib/class-names';
import { Avatar } from '@/ui/avatar';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Tooltip } from '@/ui/tooltip';

export interface FriendsPanelProps {
  userId: number;
  unread: Unread;
  /** Whose private chat is open. */
  openFriendId: number | undefined;
  onOpen: (friendId: number) => void;
  /** Only the pictures, in a rail of 80 px. */
  isCollapsed?: boolean;
  /** Stands beside the title: collapses or closes. */
  action?: ReactNode;
}

/** Full when here, hollow when not: told by shape as well as by colour. */
const PresenceDot = ({ isOnline }: { isOnline: boolean }) => (
  <span
    aria-hidden="true"
    className={cn(
      'absolute right-0 bottom-0 size-3 rounded-full ring-2 ring-background',
      isOnline ? 'bg-success' : 'border-2 border-muted-foreground bg-background',
    )}
  />
);

const Portrait = ({ friend, className }: { friend: Friend; className?: string }) => (
  <span className="relative shrink-0">
    <Avatar
      id={friend.id}
      name={friend.username}
      picture={friend.avatar}
      {...(className ? { className } : {})}
    />
    <PresenceDot isOnline={friend.isOnline} />
  </span>
);

const presenceText = ({ isOnline }: Friend): string => (isOnline ? copy.list.online : copy.list.offline);

interface RowProps {
  friend: Friend;
  unread: number;
  isOpen: boolean;
  onOpen: () => void;
  onRemove: () => void;
}

const Row = ({ friend, unread, isOpen, onOpen, onRemove }: RowProps) => {
  const nameId = useId();
  return (
    <li
      className={cn(
        'relative flex items-center gap-3 rounded-control py-1.5 pr-1 pl-2 transition-colors hover:bg-raised',
        isOpen && 'bg-raised',
      )}
    >
      <Portrait friend={friend} />
      <div className="min-w-0 flex-1">
        <p id={nameId} className={cn('truncate text-base', unread > 0 ? 'font-bold' : 'font-semibold')}>
          {friend.username}
        </p>
        <p className="text-sm text-muted-foreground">{presenceText(friend)}</p>
      </div>
      <Badge count={unread} label={copy.list.unread} />
      <div className="flex">
        <Tooltip label={copy.list.send}>
          {/* The whole row answers to a click. */}
          <Button
            variant="ghost"
            size="icon"
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
            aria-describedby={nameId}
            className="z-10 text-muted-foreground hover:text-destructive"
            onClick={onRemove}
          >
            <UserRoundMinus aria-hidden="true" className="size-5" />
            <span className="sr-only">{copy.list.remove}</span>
          </Button>
        </Tooltip>
      </div>
    </li>
  );
};

const RailItem = ({ friend, unread, isOpen, onOpen }: Omit<RowProps, 'onRemove'>) => (
  <li>
    <Tooltip side="right" label={`${friend.username} · ${presenceText(friend)}`}>
      <button
        type="button"
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
  </li>
);

/** The shape of what is coming, once it has been long in coming. */
const Skeleton = ({ isCollapsed }: { isCollapsed: boolean }) => (
  <div role="status" className="appear-late grid gap-3 px-2 py-2">
    <span className="sr-only">{copy.list.loading}</span>
    {[0, 1, 2].map((row) => (
      <div key={row} aria-hidden="true" className="flex items-center gap-3">
        <span className="size-10 rounded-full bg-raised" />
        {isCollapsed ? null : (
          <span className="grid flex-1 gap-2">
            <span className="h-3.5 w-3/5 rounded-full bg-raised" />
            <span className="h-3 w-1/4 rounded-full bg-raised" />
          </span>
        )}
      </div>
    ))}
  </div>
);

/** My friends, those who wrote first; each can be written to or removed. */
export const FriendsPanel = ({
  userId,
  unread,
  openFriendId,
  onOpen,
  isCollapsed = false,
  action,
}: FriendsPanelProps) => {
  const { data: friends, isError, refetch } = useFriends(userId);
  const remove = useRemoveFriend(userId);
  const title = useRef<HTMLHeadingElement>(null);
  const sorted = sortFriends(friends ?? [], unread);

  const removeAndStay = (friendId: number): void => {
    remove(friendId);
    // The button goes with its row: the focus must not fall out of the list.
    title.current?.focus();
  };

  return (
    <>
      <div className={cn('flex h-14 shrink-0 items-center', isCollapsed ? 'justify-center' : 'pr-2 pl-4')}>
        <h2
          ref={title}
          tabIndex={-1}
          className={cn('text-md font-bold outline-none', isCollapsed ? 'sr-only' : 'flex-1')}
        >
          {friends ? copy.list.count(friends.length) : copy.list.title}
        </h2>
        {action}
      </div>
      <div
        className={cn(
          'min-h-0 flex-1 overflow-y-auto overscroll-contain pb-2',
          isCollapsed ? 'px-3' : 'px-2',
        )}
      >
        {friends && sorted.length > 0 ? (
          <ul
            aria-label={copy.list.label}
            className={cn('grid grid-cols-[minmax(0,1fr)]', isCollapsed ? 'gap-1' : 'gap-0.5')}
          >
            {sorted.map((friend) => {
              const row = {
                friend,
                unread: unread[friend.id] ?? 0,
                isOpen: friend.id === openFriendId,
                onOpen: () => onOpen(friend.id),
              };
              return isCollapsed ? (
                <RailItem key={friend.id} {...row} />
              ) : (
                <Row key={friend.id} {...row} onRemove={() => removeAndStay(friend.id)} />
              );
            })}
          </ul>
        ) : friends ? (
          <NoFriends isCollapsed={isCollapsed} />
        ) : isError ? (
          <div className={cn('grid gap-3 px-2', isCollapsed && 'sr-only')}>
            <p role="alert" className="text-base text-muted-foreground">
              {copy.list.failed}
            </p>
            <Button variant="secondary" size="sm" className="w-fit" onClick={() => void refetch()}>
              {copy.list.retry}
            </Button>
          </div>
        ) : (
          <Skeleton isCollapsed={isCollapsed} />
        )}
      </div>
    </>
  );
};
