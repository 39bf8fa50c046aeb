import { useEffect, useRef } from 'react';

export type Shortcut = 'next' | 'previous' | 'open' | 'claim' | 'decide' | 'urgency' | 'help' | 'leave';

const shortcutByKey: Partial<Record<string, Shortcut>> = {
  j: 'next',
  k: 'previous',
  o: 'open',
  c: 'claim',
  d: 'decide',
  u: 'urgency',
  '?': 'help',
  escape: 'leave',
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type="radio"]):not([type="checkbox"])'));

/** The shortcut that a key press means; undefined with a modifier, in a text field, or while a dialog is open. */
const findShortcut = (event: KeyboardEvent): Shortcut | undefined => {
  const { key, ctrlKey, metaKey, altKey, repeat, isComposing } = event;
  if (event.defaultPrevented || ctrlKey || metaKey || altKey || isComposing) return undefined;
  const shortcut = shortcutByKey[key.toLowerCase()];
  if (shortcut !== 'next' && shortcut !== 'previous' && repeat) return undefined;
  if (shortcut !== 'leave' && isTyping(event.target)) return undefined;
  return document.querySelector('[role="dialog"]') ? undefined : shortcut;
};

/** Calls `run` for the shortcuts of the tool; it returns false for one that has no effect now. */
export const useShortcuts = (run: (shortcut: Shortcut) => boolean): void => {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      const shortcut = findShortcut(event);
      // The press must not also type its letter into a field that it opens.
      if (shortcut && latest.current(shortcut)) event.preventDefault();
    };
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
};
