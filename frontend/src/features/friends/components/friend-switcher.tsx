import { useId, useState, type KeyboardEvent } from 'react';
import { useFriends } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { searchFriends, sortFriends, type Unread } from '@/features/friends/friend-list';
import { cn } from '@/lib/class-names';
import { Badge } from '@/product/badge';
import { Portrait, describePresence } from '@/product/portrait';
import { Modal } from '@/ui/modal';

export interface FriendSwitcherProps {
  userId: number;
  unread: Unread;
  onOpen: (friendId: number) => void;
  onDismiss: () => void;
}

/** More results are not shown: typing more letters narrows them further. */
const maxResults = 50;

const findIndexForKey = (key: string, index: number, count: number): number | undefined => {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  return undefined;
};

/** Finds a friend by a few letters of the name; the arrow keys select, Enter opens the chat. */
export const FriendSwitcher = ({ userId, unread, onOpen, onDismiss }: FriendSwitcherProps) => {
  const { data: friends = [] } = useFriends(userId);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const results = searchFriends(sortFriends(friends, unread), search).slice(0, maxResults);
  const index = Math.min(chosen, Math.max(results.length - 1, 0));
  const optionId = (friendId: number): string => `${id}-${friendId}`;
  const current = results[index];

  const open = (friendId: number): void => {
    onDismiss();
    onOpen(friendId);
  };
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const next = findIndexForKey(event.key, index, results.length);
    if (next !== undefined) {
      event.preventDefault();
      setChosen(next);
      document.getElementById(optionId(results[next]?.id ?? 0))?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && current) {
      event.preventDefault();
      open(current.id);
    }
  };

  return (
    <Modal isOpen title={copy.switcher.title} onDismiss={onDismiss}>
      <input
        type="text"
        role="combobox"
        aria-label={copy.list.search}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={current ? optionId(current.id) : undefined}
        placeholder={copy.list.search}
        autoComplete="off"
        spellCheck={false}
        value={search}
        className="mt-4 h-12 w-full rounded-control border border-input bg-background px-4 text-md placeholder:text-muted-foreground"
        onChange={({ target }) => {
          setSearch(target.value);
          setChosen(0);
        }}
        onKeyDown={handleKeyDown}
      />
      <p role="status" className="sr-only">
        {search === '' ? '' : copy.list.found(results.length)}
      </p>
      {results.length === 0 ? (
        <p aria-hidden="true" className="py-6 text-base text-muted-foreground">
          {friends.length === 0 ? copy.list.empty : copy.list.noneFound}
        </p>
      ) : null}
      <ul
        id={id}
        role="listbox"
        aria-label={copy.list.label}
        className="mt-2 grid max-h-80 gap-0.5 overflow-y-auto overscroll-contain"
      >
        {results.map((friend, place) => (
          // The text field keeps the focus and handles the keys.
          <li
            key={friend.id}
            id={optionId(friend.id)}
            role="option"
            aria-selected={place === index}
            className={cn(
              'flex min-h-14 cursor-pointer items-center gap-3 rounded-control px-2 hover:bg-raised',
              place === index && 'bg-raised inset-ring inset-ring-input',
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
