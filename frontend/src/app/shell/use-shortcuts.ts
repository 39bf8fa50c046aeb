import { useEffect } from 'react';
import { shell, type ShellModal } from '@/app/shell/shell-store';

const modalOf = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): ShellModal | undefined => {
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) return 'switch-friend';
  return key === '?' && !ctrlKey && !metaKey && !altKey ? 'shortcuts' : undefined;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/**
 * Ctrl+K or ⌘K opens the friend switcher, also from a text field; `?` lists the shortcuts. Both are ignored while
 * another dialog is open.
 */
export const useShortcuts = (): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const modal = modalOf(event);
      if (!modal || event.defaultPrevented || event.repeat || event.isComposing) return;
      if (modal === 'shortcuts' && isTyping(event.target)) return;
      const isFree = document.querySelector('[role="dialog"]') === null;
      // Keep the browser's own Ctrl+K from moving the focus to the address bar.
      if (modal === 'switch-friend' || isFree) event.preventDefault();
      if (isFree) shell.show(modal);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};
