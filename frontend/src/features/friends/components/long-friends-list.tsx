import { type Friend } from '@thaw/contract/users';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { copy } from '@/features/friends/copy';
import { searchFriends } from '@/features/friends/friend-list';

export interface LongFriendsListProps {
  friends: readonly Friend[];
  /** Whether the sidebar is collapsed: the rows are only pictures, and there is no search field. */
  isCollapsed: boolean;
  renderRow: (friend: Friend, isTabStop: boolean) => ReactNode;
}

/** Height of a row before it is measured. */
const estimatedRowPx = 58;
/** Rows mounted beyond each end of the visible part, so that scrolling shows no gaps. */
const extraRows = 8;

const findTargetIndex = (key: string, currentIndex: number, count: number): number | undefined => {
  switch (key) {
    case 'ArrowDown':
      return Math.min(currentIndex + 1, count - 1);
    case 'ArrowUp':
      return Math.max(currentIndex - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
};

/**
 * A virtualized list with a search field, for hundreds of friends. Tab reaches the buttons of one row; the arrow keys,
 * Home and End move to the same button of another row.
 */
export const LongFriendsList = ({ friends, isCollapsed, renderRow }: LongFriendsListProps) => {
  const [search, setSearch] = useState('');
  /** Id of the friend whose row is the tab stop; undefined until a row has had the focus. */
  const [activeId, setActiveId] = useState<number>();
  const scroller = useRef<HTMLDivElement>(null);
  /** Index of the button that receives the focus in the row that becomes active. */
  const buttonIndexToFocus = useRef<number | null>(null);

  const results = isCollapsed ? friends : searchFriends(friends, search);
  const foundIndex = results.findIndex(({ id }) => id === activeId);
  // The first row is the tab stop until a row has had the focus, and when the search hides the active row.
  const activeIndex = foundIndex === -1 ? 0 : foundIndex;
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing here is memoized by a compiler
  const virtualizer = useVirtualizer({
    count: results.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedRowPx,
    getItemKey: (index) => results[index]?.id ?? index,
    overscan: extraRows,
    // The active row stays rendered, so that scrolling does not lose the focus.
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((a, b) => a - b),
  });

  useLayoutEffect(() => {
    if (buttonIndexToFocus.current === null) return;
    const row = scroller.current?.querySelector(`[data-friend="${activeId}"]`);
    row?.querySelectorAll('button')[buttonIndexToFocus.current]?.focus();
    buttonIndexToFocus.current = null;
  }, [activeId]);

  const handleKeyDown = (event: KeyboardEvent<HTMLUListElement>): void => {
    const targetIndex = findTargetIndex(event.key, activeIndex, results.length);
    if (targetIndex === undefined) return;
    const friend = results[targetIndex];
    if (!friend) return;
    event.preventDefault();
    virtualizer.scrollToIndex(targetIndex);
    // At an end of the list the same row stays active, and keeps the focus.
    if (friend.id === activeId) return;
    const button = event.target as HTMLButtonElement;
    const rowButtons = [...(button.closest('li')?.querySelectorAll('button') ?? [])];
    buttonIndexToFocus.current = rowButtons.indexOf(button);
    setActiveId(friend.id);
  };

  return (
    <>
      {isCollapsed ? null : (
        <div className="relative mx-4 mb-2 shrink-0">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
          />
          <input
            type="search"
            aria-label={copy.list.search}
            placeholder={copy.list.search}
            autoComplete="off"
            value={search}
            className="h-11 w-full rounded-control border border-input bg-background pr-3 pl-9 text-base placeholder:text-muted-foreground pointer-coarse:text-md"
            onChange={({ target }) => {
              setSearch(target.value);
              virtualizer.scrollToIndex(0);
            }}
          />
        </div>
      )}
      <p role="status" className="sr-only">
        {isCollapsed || search === '' ? '' : copy.list.found(results.length)}
      </p>
      <div
        ref={scroller}
        className={`min-h-0 flex-1 overflow-y-auto overscroll-contain pb-2 ${isCollapsed ? 'px-3' : 'px-2'}`}
      >
        {results.length === 0 ? (
          // Screen readers announce the status above instead.
          <p aria-hidden="true" className="px-2 py-4 text-base text-muted-foreground">
            {copy.list.noneFound}
          </p>
        ) : (
          <ul
            aria-label={copy.list.label}
            className="relative"
            style={{ height: virtualizer.getTotalSize() }}
            onKeyDown={handleKeyDown}
          >
            {virtualizer.getVirtualItems().map(({ index, key, start }) => {
              const friend = results[index];
              return friend ? (
                <li
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-friend={friend.id}
                  aria-setsize={results.length}
                  aria-posinset={index + 1}
                  className="absolute inset-x-0 top-0 pb-0.5"
                  style={{ transform: `translateY(${start}px)` }}
                  onFocus={() => setActiveId(friend.id)}
                >
                  {renderRow(friend, index === activeIndex)}
                </li>
              ) : null;
            })}
          </ul>
        )}
      </div>
    </>
  );
};
