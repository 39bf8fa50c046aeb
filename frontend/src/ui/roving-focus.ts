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

/** Finds the index that a key moves to; undefined for other keys. In a grid, Up and Down move by rows. */
const findTargetIndex = (
  items: readonly HTMLElement[],
  from: number,
  key: string,
  isGrid: boolean,
): number | undefined => {
  if (key === 'Home') return 0;
  if (key === 'End') return items.length - 1;
  const step = stepByKey[key];
  if (step === undefined) return undefined;
  if (isGrid && (key === 'ArrowUp' || key === 'ArrowDown')) {
    const columns = items.findIndex(({ offsetTop }) => offsetTop !== items[0]?.offsetTop);
    const isSingleRow = columns < 1;
    const to = from + step * (isSingleRow ? items.length : columns);
    return to >= 0 && to < items.length ? to : from;
  }
  return (from + step + items.length) % items.length;
};

export interface RovingFocusOptions {
  /** Index of the item that is the first tab stop. */
  initial?: number;
  isGrid?: boolean;
  /** Called with the index of the item that an arrow key moved to. */
  onMove?: (index: number) => void;
}

/**
 * Makes a group of controls one tab stop, as in ARIA's patterns for toolbars, radio groups and grids: the arrow keys,
 * Home and End move between them. Spread `group` on the parent and `getItemProps(index)` on each control.
 */
export const useRovingFocus = ({ initial = 0, isGrid = false, onMove }: RovingFocusOptions = {}) => {
  const [current, setCurrent] = useState(initial);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = findItems(event.currentTarget);
    const from = items.findIndex((item) => item === event.target);
    const to = from < 0 ? undefined : findTargetIndex(items, from, event.key, isGrid);
    if (to === undefined) return;
    event.preventDefault();
    items[to]?.focus();
    onMove?.(to);
  };
  return {
    group: { onKeyDown },
    getItemProps: (index: number) => ({
      'data-roving': '',
      tabIndex: index === current ? 0 : -1,
      onFocus: () => setCurrent(index),
    }),
  };
};
