import { useEffect } from 'react';
import { shell, type ShellModal } from '@/app/shell/shell-store';

/** Returns the modal that a key combination opens. */
const findModal = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): ShellModal | undefined => {
  // Ctrl or ⌘, but not both.
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) return 'switch-friend';
  // Many keyboards need Shift for `?`.
  return key === '?' && !ctrlKey && !metaKey && !altKey ? 'shortcuts' : undefined;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/**
 * Ctrl+K or ⌘K opens the friend switcher, also from a text field; `?` lists the shortcuts. While any dialog is open,
 * neither opens another.
 */
export const useShortcuts = (): void => {
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      const modal = findModal(event);
      if (!modal || event.defaultPrevented || event.repeat || event.isComposing) return;
      if (modal === 'shortcuts' && isTyping(event.target)) return;
      const isDialogOpen = document.querySelector('[role="dialog"]') !== null;
      // The browser's own Ctrl+K moves the focus to the address bar. It is prevented even while a dialog is open.
      if (modal === 'switch-friend' || !isDialogOpen) event.preventDefault();
      if (!isDialogOpen) shell.show(modal);
    };
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
};
