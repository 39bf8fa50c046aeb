import { useEffect } from 'react';
import { shell, type ShellModal } from '@/app/shell/shell-store';

const modalOf = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): ShellModal | undefined => {
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) return 'switch-friend';
  return key === '?' && !ctrlKey && !metaKey && !altKey ? 'shortcuts' : undefined;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** Ctrl or ⌘ with K switches friends, from a text field too; `?` lists the shortcuts. Neither over another dialog. */
export const useShortcuts = (): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const modal = modalOf(event);
      if (!modal || event.defaultPrevented || event.repeat || event.isComposing) return;
      if (modal === 'shortcuts' && isTyping(event.target)) return;
      const isFree = document.querySelector('[role="dialog"]') === null;
      // The browser's own Ctrl+K would leave the page for the address bar.
      if (modal === 'switch-friend' || isFree) event.preventDefault();
      if (isFree) shell.show(modal);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};
