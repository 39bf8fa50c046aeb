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

/** Finds the index of the item one row below, or above if `step` is -1; at an edge of the grid, the current index. */
const findIndexInNextRow = (items: readonly HTMLElement[], currentIndex: number, step: number): number => {
  const firstRow = items.filter(({ offsetTop }) => offsetTop === items[0]?.offsetTop);
  const columnCount = firstRow.length;
  const targetIndex = currentIndex + step * columnCount;
  const isInGrid = targetIndex >= 0 && targetIndex < items.length;
  return isInGrid ? targetIndex : currentIndex;
};

interface KeyPress {
  key: string;
  items: readonly HTMLElement[];
  /** The item that has the focus. */
  currentIndex: number;
  isGrid: boolean;
}

/**
 * Finds the index of the item that a key moves the focus to; undefined for keys that do not move it. In a grid, Up and
 * Down move by rows and stop at the edges. All other moves wrap around.
 */
const findTargetIndex = ({ key, items, currentIndex, isGrid }: KeyPress): number | undefined => {
  if (key === 'Home') return 0;
  if (key === 'End') return items.length - 1;
  const step = stepByKey[key];
  if (step === undefined) return undefined;
  const isVertical = key === 'ArrowUp' || key === 'ArrowDown';
  if (isGrid && isVertical) return findIndexInNextRow(items, currentIndex, step);
  return (currentIndex + step + items.length) % items.length;
};

export interface RovingFocusOptions {
  /** Index of the item that is the tab stop until another item gets the focus. */
  initialIndex?: number;
  /** The items wrap into rows of the same length. */
  isGrid?: boolean;
  /** Called with the index, among the enabled items, of the item that a key moved the focus to. */
  onMove?: (index: number) => void;
}

/**
 * Makes a group of controls one tab stop, as in ARIA's patterns for toolbars, radio groups and grids: the arrow keys,
 * Home and End move between the controls. Spread `group` on the parent and `getItemProps(index)` on each control.
 */
export const useRovingFocus = ({ initialIndex = 0, isGrid = false, onMove }: RovingFocusOptions = {}) => {
  const [tabStopIndex, setTabStopIndex] = useState(initialIndex);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = findItems(event.currentTarget);
    const currentIndex = items.findIndex((item) => item === event.target);
    if (currentIndex === -1) return; // another element has the focus, for example in a popover of an item
    const targetIndex = findTargetIndex({ key: event.key, items, currentIndex, isGrid });
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
