import { type Friend } from '@thaw/contract/users';
import { useRef, type ReactNode } from 'react';
import { useFriends } from '@/features/friends/api/friends';
import { FriendPicture, FriendRow } from '@/features/friends/components/friend-row';
import { NoFriends } from '@/features/friends/components/no-friends';
import { copy } from '@/features/friends/copy';
import { sortFriends, type Unread } from '@/features/friends/friend-list';
import { useRemoveFriend } from '@/features/friends/hooks/use-remove-friend';
import { cn } from '@/lib/class-names';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const longListPart = createPart(
  async () => (await import('@/features/friends/components/long-friends-list')).LongFriendsList,
);

/** Longer lists are searched, and only their rows in sight are in the page. */
const longFrom = 40;

export interface FriendsPanelProps {
  userId: number;
  unread: Unread;
  /** Friends who are typing to me. */
  typing?: readonly number[];
  /** What was begun to a friend and not sent. */
  draftOf?: (friendId: number) => string;
  /** Whose private chat is open. */
  openFriendId: number | undefined;
  onOpen: (friendId: number) => void;
  /** Only the pictures, in a rail of 80 px. */
  isCollapsed?: boolean;
  /** Stands beside the title: collapses or closes. */
  action?: ReactNode;
}

const noTyping: readonly number[] = [];
const noDraft = (): string => '';

/** My friends, those with unread messages first; each can be written to or removed. */
export const FriendsPanel = ({
  userId,
  unread,
  typing = noTyping,
  draftOf = noDraft,
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

  const renderRow = (friend: Friend, isTabStop: boolean): ReactNode => {
    const row = {
      friend,
      unread: unread[friend.id] ?? 0,
      isOpen: friend.id === openFriendId,
      isTabStop,
      onOpen: () => onOpen(friend.id),
    };
    return isCollapsed ? (
      <FriendPicture {...row} />
    ) : (
      <FriendRow
        {...row}
        isTyping={typing.includes(friend.id)}
        draft={draftOf(friend.id)}
        onRemove={() => removeAndStay(friend.id)}
      />
    );
  };
  const loading = (
    <ListSkeleton label={copy.list.loading} isPicturesOnly={isCollapsed} className="px-2 py-2" />
  );
  const failed = (retry: () => void): ReactNode => (
    <LoadError text={copy.list.failed} onRetry={retry} className={cn('px-2', isCollapsed && 'sr-only')} />
  );

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
      {sorted.length > longFrom ? (
        <LoadedPart
          part={longListPart}
          pending={<div className="min-h-0 flex-1">{loading}</div>}
          broken={({ retry }) => <div className="min-h-0 flex-1">{failed(retry)}</div>}
        >
          {(LongFriendsList) => (
            <LongFriendsList friends={sorted} isCollapsed={isCollapsed} renderRow={renderRow} />
          )}
        </LoadedPart>
      ) : (
        <div
          className={cn(
            'min-h-0 flex-1 overflow-y-auto overscroll-contain pb-2',
            isCollapsed ? 'px-3' : 'px-2',
          )}
        >
          {sorted.length > 0 ? (
            <ul
              aria-label={copy.list.label}
              className={cn('grid grid-cols-[minmax(0,1fr)]', isCollapsed ? 'gap-1' : 'gap-0.5')}
            >
              {sorted.map((friend) => (
                <li key={friend.id}>{renderRow(friend, true)}</li>
              ))}
            </ul>
          ) : friends ? (
            <NoFriends isCollapsed={isCollapsed} />
          ) : isError ? (
            failed(() => void refetch())
          ) : (
            loading
          )}
        </div>
      )}
    </>
  );
};
