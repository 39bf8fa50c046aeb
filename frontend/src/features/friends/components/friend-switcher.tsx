import { useId, useState, type KeyboardEvent } from 'react';
import { useFriends } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { searchFriends, sortFriends, type UnreadCounts } from '@/features/friends/friend-list';
import { cn } from '@/lib/class-names';
import { Badge } from '@/product/badge';
import { Portrait, describePresence } from '@/product/portrait';
import { Modal } from '@/ui/modal';

export interface FriendSwitcherProps {
  userId: number;
  unread: UnreadCounts;
  onOpen: (friendId: number) => void;
  onDismiss: () => void;
}

/** Further results are not shown: the user can type more letters. */
const maxResults = 50;

const findIndexForKey = (key: string, index: number, count: number): number | undefined => {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  return undefined;
};

/** A dialog that finds a friend by letters of the name. The arrow keys select a friend, Enter opens the chat. */
export const FriendSwitcher = ({ userId, unread, onOpen, onDismiss }: FriendSwitcherProps) => {
  const { data: friends = [] } = useFriends(userId);
  const [search, setSearch] = useState('');
  const [chosenIndex, setChosenIndex] = useState(0);
  const listId = useId();
  const results = searchFriends(sortFriends(friends, unread), search).slice(0, maxResults);
  // The list may have become shorter since the choice.
  const selectedIndex = Math.min(chosenIndex, Math.max(results.length - 1, 0));
  const selectedFriend = results[selectedIndex];
  const toOptionId = (friendId: number): string => `${listId}-${friendId}`;

  const open = (friendId: number): void => {
    onDismiss();
    onOpen(friendId);
  };
  const select = (index: number): void => {
    setChosenIndex(index);
    const friend = results[index];
    if (friend) document.getElementById(toOptionId(friend.id))?.scrollIntoView({ block: 'nearest' });
  };
  const handleKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes text, it uses Enter and the arrow keys itself.
    if (event.nativeEvent.isComposing) return;
    const targetIndex = findIndexForKey(event.key, selectedIndex, results.length);
    if (targetIndex !== undefined) {
      event.preventDefault();
      select(targetIndex);
    } else if (event.key === 'Enter' && selectedFriend) {
      event.preventDefault();
      open(selectedFriend.id);
    }
  };

  return (
    <Modal isOpen title={copy.switcher.title} onDismiss={onDismiss}>
      <input
        type="text"
        role="combobox"
        aria-label={copy.list.search}
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selectedFriend ? toOptionId(selectedFriend.id) : undefined}
        placeholder={copy.list.search}
        autoComplete="off"
        spellCheck={false}
        value={search}
        className="mt-4 h-12 w-full rounded-control border border-input bg-background px-4 text-md placeholder:text-muted-foreground"
        onChange={({ target }) => {
          setSearch(target.value);
          setChosenIndex(0);
        }}
        onKeyDown={handleKeyDown}
      />
      <p role="status" className="sr-only">
        {search === '' ? '' : copy.list.found(results.length)}
      </p>
      {results.length === 0 ? (
        // Announced by the status above, unless nothing is typed.
        <p aria-hidden={search !== ''} className="py-6 text-base text-muted-foreground">
          {friends.length === 0 ? copy.list.empty : copy.list.noneFound}
        </p>
      ) : null}
      <ul
        id={listId}
        role="listbox"
        aria-label={copy.list.label}
        className="mt-2 grid max-h-80 gap-0.5 overflow-y-auto overscroll-contain"
      >
        {results.map((friend, index) => (
          // The text field keeps the focus and handles the keys.
          <li
            key={friend.id}
            id={toOptionId(friend.id)}
            role="option"
            aria-selected={index === selectedIndex}
            className={cn(
              'flex min-h-14 cursor-pointer items-center gap-3 rounded-control px-2 hover:bg-raised',
              index === selectedIndex && 'bg-raised inset-ring inset-ring-input',
            )}
            onClick={() => open(friend.id)}
          >
            <Portrait friend={friend} />
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate text-left text-base font-semibold">
                {friend.username}
              </span>
              <span className="block text-sm text-muted-foreground">{describePresence(friend)}</span>
            </span>
            <Badge count={unread[friend.id] ?? 0} label={copy.list.unread} />
          </li>
        ))}
      </ul>
    </Modal>
  );
};
