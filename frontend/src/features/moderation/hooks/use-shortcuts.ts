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

/**
 * Returns the shortcut of a key press; undefined with Ctrl, Meta or Alt, and while a dialog is open. In a text field
 * or a select, only Escape is a shortcut. While a key is held down, only J and K repeat.
 */
const findShortcut = (event: KeyboardEvent): Shortcut | undefined => {
  const { key, ctrlKey, metaKey, altKey, repeat, isComposing } = event;
  if (event.defaultPrevented || ctrlKey || metaKey || altKey || isComposing) return undefined;
  const shortcut = shortcutByKey[key.toLowerCase()];
  if (shortcut !== 'next' && shortcut !== 'previous' && repeat) return undefined;
  if (shortcut !== 'leave' && isTyping(event.target)) return undefined;
  return document.querySelector('[role="dialog"]') ? undefined : shortcut;
};

/**
 * Calls `run` for the shortcuts of the moderation tool.
 * @param run returns false if the shortcut has no effect now; the browser then handles the key
 */
export const useShortcuts = (run: (shortcut: Shortcut) => boolean): void => {
  const latestRun = useRef(run);
  useEffect(() => {
    latestRun.current = run;
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      const shortcut = findShortcut(event);
      // Without `preventDefault`, the browser would type the letter into a field that the shortcut has focused.
      if (shortcut && latestRun.current(shortcut)) event.preventDefault();
    };
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
};
