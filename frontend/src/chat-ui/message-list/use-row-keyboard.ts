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

const stepByKey: Partial<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/**
 * Arrow keys move the focus between rows; Home and End scroll to the ends of the list. Enter opens the actions of a row
 * as a sheet. The browser handles Tab, which moves the focus from a row to its actions.
 */
export const useRowKeyboard =
  ({ scroller, count, virtualizer, onMove, onOpen }: RowKeyboardOptions) =>
  (event: KeyboardEvent<HTMLElement>): void => {
    const row = findRow(event.target);
    if (event.key === 'Enter' && row && event.target === row) {
      event.preventDefault();
      return onOpen(row);
    }
    // Keys that are pressed inside a row, for example on one of its actions, keep their meaning.
    if (event.target !== row && event.target !== scroller.current) return;
    // The browser's own scrolling would stop too early, because rows get their real height only while the list scrolls.
    if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      if (event.key === 'Home') virtualizer.scrollToIndex(0, { align: 'start' });
      else virtualizer.scrollToEnd();
      return;
    }
    const step = stepByKey[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove();
    // When the list itself has the focus, the keys move to its last row.
    const index = Math.min(count - 1, Math.max(0, (row ? readRowIndex(row) : count) + step));
    virtualizer.scrollToIndex(index, { align: 'auto' });
    const focusRow = (): void => {
      const target = scroller.current?.querySelector<HTMLElement>(`li[data-index="${index}"]`);
      // Tab may have moved the focus into the row in the meantime.
      if (target && !target.contains(document.activeElement)) target.focus();
    };
    focusRow();
    // A row that was out of view is mounted only after the scroll.
    requestAnimationFrame(focusRow);
  };
