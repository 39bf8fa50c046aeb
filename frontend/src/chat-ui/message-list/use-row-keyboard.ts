import { type KeyboardEvent, type RefObject } from 'react';
import { readRowIndex, findRow } from '@/chat-ui/message-list/row-element';

export interface RowKeyboard {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** The part of the virtual list that scrolls it. */
  virtualizer: {
    scrollToIndex: (index: number, options: { align: 'start' | 'auto' }) => void;
    scrollToEnd: () => void;
  };
  onMove: () => void;
  onOpen: (row: HTMLElement) => void;
}

/** Arrow keys move between rows. From a row, Tab leads to its actions, and Enter opens them as a sheet. */
export const useRowKeyboard =
  ({ scroller, count, virtualizer, onMove, onOpen }: RowKeyboard) =>
  (event: KeyboardEvent<HTMLElement>): void => {
    const row = findRow(event.target);
    if (event.key === 'Enter' && row && event.target === row) {
      event.preventDefault();
      return onOpen(row);
    }
    if (event.target !== row && event.target !== scroller.current) return;
    // The browser's own scrolling would stop where rows are measured during the scroll.
    if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      if (event.key === 'Home') virtualizer.scrollToIndex(0, { align: 'start' });
      else virtualizer.scrollToEnd();
      return;
    }
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    onMove();
    const index = Math.min(count - 1, Math.max(0, (row ? readRowIndex(row) : count) + step));
    virtualizer.scrollToIndex(index, { align: 'auto' });
    const focus = (): void => {
      const target = scroller.current?.querySelector<HTMLElement>(`li[data-index="${index}"]`);
      // Tab may have moved the focus into the row in the meantime.
      if (target && !target.contains(document.activeElement)) target.focus();
    };
    focus();
    // The row may have to be mounted first.
    requestAnimationFrame(focus);
  };
