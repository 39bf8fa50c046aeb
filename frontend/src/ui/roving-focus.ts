import { useState, type KeyboardEvent } from 'react';

const stepByKey: Partial<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

const findItems = (group: HTMLElement): HTMLElement[] => [
  ...group.querySelectorAll<HTMLElement>('[data-roving]:not(:disabled)'),
];

/**
 * Finds the index of the item that a key moves the focus to; undefined for keys that do not move it. In a grid, Up and
 * Down move by rows and stop at the edges. All other moves wrap around.
 */
const findTargetIndex = (
  items: readonly HTMLElement[],
  currentIndex: number,
  key: string,
  isGrid: boolean,
): number | undefined => {
  if (key === 'Home') return 0;
  if (key === 'End') return items.length - 1;
  const step = stepByKey[key];
  if (step === undefined) return undefined;
  if (isGrid && (key === 'ArrowUp' || key === 'ArrowDown')) {
    // The first item of the second row: its index is the number of columns.
    const columnCount = items.findIndex(({ offsetTop }) => offsetTop !== items[0]?.offsetTop);
    if (columnCount === -1) return currentIndex; // there is only one row
    const targetIndex = currentIndex + step * columnCount;
    return targetIndex >= 0 && targetIndex < items.length ? targetIndex : currentIndex;
  }
  return (currentIndex + step + items.length) % items.length;
};

export interface RovingFocusOptions {
  /** Index of the item that is the tab stop until another item gets the focus. */
  initial?: number;
  /** The items wrap into rows of the same length. */
  isGrid?: boolean;
  /** Called with the index of the item that a key moved the focus to. */
  onMove?: (index: number) => void;
}

/**
 * Makes a group of controls one tab stop, as in ARIA's patterns for toolbars, radio groups and grids: the arrow keys,
 * Home and End move between the controls. Spread `group` on the parent and `getItemProps(index)` on each control.
 */
export const useRovingFocus = ({ initial = 0, isGrid = false, onMove }: RovingFocusOptions = {}) => {
  const [tabStopIndex, setTabStopIndex] = useState(initial);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = findItems(event.currentTarget);
    const currentIndex = items.findIndex((item) => item === event.target);
    const targetIndex =
      currentIndex < 0 ? undefined : findTargetIndex(items, currentIndex, event.key, isGrid);
    if (targetIndex === undefined) return;
    event.preventDefault();
    items[targetIndex]?.focus();
    onMove?.(targetIndex);
  };
  return {
    group: { onKeyDown },
    getItemProps: (index: number) => ({
      'data-roving': '',
      tabIndex: index === tabStopIndex ? 0 : -1,
      onFocus: () => setTabStopIndex(index),
    }),
  };
};
