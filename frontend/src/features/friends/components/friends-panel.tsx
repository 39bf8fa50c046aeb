import { type Friend } from '@thaw/contract/users';
import { useRef, type ReactNode } from 'react';
import { useFriends } from '@/features/friends/api/friends';
import { FriendPicture, FriendRow } from '@/features/friends/components/friend-row';
import { NoFriends } from '@/features/friends/components/no-friends';
import { copy } from '@/features/friends/copy';
import { sortFriends, type UnreadCounts } from '@/features/friends/friend-list';
import { useRemoveFriend } from '@/features/friends/hooks/use-remove-friend';
import { cn } from '@/lib/class-names';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const longListPart = createPart(
  async () => (await import('@/features/friends/components/long-friends-list')).LongFriendsList,
);

/** Lists with more friends have a search field and are virtualized. */
const maxShortListFriends = 40;

export interface FriendsPanelProps {
  userId: number;
  unread: UnreadCounts;
  /** Ids of the friends who are typing to the user. */
  typing?: readonly number[];
  /** Returns the unsent draft to a friend; empty if there is none. */
  readDraft?: (friendId: number) => string;
  /** The friend whose private chat is open. */
  openFriendId: number | undefined;
  onOpen: (friendId: number) => void;
  /** Renders the button that opens a friend's menu. `isSmall`: at the edge of a picture, not at the end of a row. */
  renderMore?: (friend: Friend, buttonProps: { tabIndex: number; isSmall: boolean }) => ReactNode;
  /** Shows only the pictures, in an 80 px rail. */
  isCollapsed?: boolean;
  /** The button beside the title, which collapses or closes the panel. */
  action?: ReactNode;
}

const noFriendIds: readonly number[] = [];
const noDraft = (): string => '';

/** The user's friends, those with unread messages first, with buttons to write to them and to remove them. */
export const FriendsPanel = ({
  userId,
  unread,
  typing = noFriendIds,
  readDraft = noDraft,
  openFriendId,
  onOpen,
  renderMore,
  isCollapsed = false,
  action,
}: FriendsPanelProps) => {
  const { data: friends, isError, refetch } = useFriends(userId);
  const remove = useRemoveFriend(userId);
  const title = useRef<HTMLHeadingElement>(null);
  const sorted = sortFriends(friends ?? [], unread);

  const removeAndKeepFocus = (friendId: number): void => {
    remove(friendId);
    // The pressed button is removed with its row; the focus moves to the title, so that it stays in the panel.
    title.current?.focus();
  };

  /** @param isTabStop whether Tab reaches the row. In a long list it reaches one row; arrow keys reach the others. */
  const renderRow = (friend: Friend, isTabStop: boolean): ReactNode => {
    const rowProps = {
      friend,
      unread: unread[friend.id] ?? 0,
      isOpen: friend.id === openFriendId,
      isTabStop,
      onOpen: () => onOpen(friend.id),
      more: renderMore?.(friend, { tabIndex: isTabStop ? 0 : -1, isSmall: isCollapsed }),
    };
    return isCollapsed ? (
      <FriendPicture {...rowProps} />
    ) : (
      <FriendRow
        {...rowProps}
        isTyping={typing.includes(friend.id)}
        draft={readDraft(friend.id)}
        onRemove={() => removeAndKeepFocus(friend.id)}
      />
    );
  };
  const skeleton = (
    <ListSkeleton label={copy.list.loading} isPicturesOnly={isCollapsed} className="px-2 py-2" />
  );
  // The collapsed panel has no room for the error, so only screen readers get it.
  const renderError = (retry: () => void): ReactNode => (
    <LoadError text={copy.list.failed} onRetry={retry} className={cn('px-2', isCollapsed && 'sr-only')} />
  );

  const renderShortList = (): ReactNode => {
    if (!friends && isError) return renderError(() => void refetch());
    if (!friends) return skeleton;
    if (sorted.length === 0) return <NoFriends isCollapsed={isCollapsed} />;
    return (
      <ul
        aria-label={copy.list.label}
        className={cn('grid grid-cols-[minmax(0,1fr)]', isCollapsed ? 'gap-1' : 'gap-0.5')}
      >
        {sorted.map((friend) => (
          <li key={friend.id}>{renderRow(friend, true)}</li>
        ))}
      </ul>
    );
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
      {sorted.length > maxShortListFriends ? (
        <LoadedPart
          part={longListPart}
          pending={<div className="min-h-0 flex-1">{skeleton}</div>}
          renderFailure={({ retry }) => <div className="min-h-0 flex-1">{renderError(retry)}</div>}
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
          {renderShortList()}
        </div>
      )}
    </>
  );
};
