import { type KeyboardEvent, type RefObject } from 'react';
import { readRowIndex, findRow } from '@/chat-ui/message-list/row-element';

export interface RowKeyboardOptions {
  scroller: RefObject<HTMLElement | null>;
  /** Number of rows in the whole list. */
  count: number;
  virtualizer: {
    scrollToIndex: (index: number, options: { align: 'start' | 'auto' }) => void;
    scrollToEnd: () => void;
  };
  /** Called before the focus moves to another row. */
  onMove: () => void;
  /** Called on Enter, to open the actions of a row as a sheet. */
  onOpen: (row: HTMLElement) => void;
}

/**
 * Arrow keys move the focus between rows; Home and End scroll to the ends of the list. Enter opens the actions of a row
 * as a sheet. The browser handles Tab, which moves the focus from a row to its actions.
 * @returns the handler of `keydown` events of the list.
 */
export const useRowKeyboard = ({ scroller, count, virtualizer, onMove, onOpen }: RowKeyboardOptions) => {
  const focusRow = (index: number): void => {
    const row = scroller.current?.querySelector<HTMLElement>(`li[data-index="${index}"]`);
    // Tab may have moved the focus into the row in the meantime.
    if (row && !row.contains(document.activeElement)) row.focus();
  };

  const moveTo = (wantedIndex: number): void => {
    const index = Math.min(count - 1, Math.max(0, wantedIndex));
    onMove();
    virtualizer.scrollToIndex(index, { align: 'auto' });
    focusRow(index);
    // A row that was out of view is mounted only after the scroll.
    requestAnimationFrame(() => focusRow(index));
  };

  /**
   * @param row the focused row; null when the list itself has the focus. The arrow keys then move to the last row.
   * @returns what the key does; undefined if the browser handles the key.
   */
  const findAction = (key: string, row: HTMLElement | null): (() => void) | undefined => {
    const index = row ? readRowIndex(row) : count;
    switch (key) {
      case 'Enter':
        return row ? () => onOpen(row) : undefined;
      case 'ArrowUp':
        return () => moveTo(index - 1);
      case 'ArrowDown':
        return () => moveTo(index + 1);
      // The browser's own scrolling would stop too early: rows get their real height only while the list scrolls.
      case 'Home':
        return () => virtualizer.scrollToIndex(0, { align: 'start' });
      case 'End':
        return () => virtualizer.scrollToEnd();
      default:
        return undefined;
    }
  };

  return (event: KeyboardEvent<HTMLElement>): void => {
    const row = findRow(event.target);
    // Keys that are pressed inside a row, for example on one of its actions, keep their meaning.
    const isOnRowOrList = event.target === row || event.target === scroller.current;
    const action = isOnRowOrList ? findAction(event.key, row) : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  };
};
