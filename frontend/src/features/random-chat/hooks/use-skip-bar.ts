import { useRef, useState, type RefObject } from 'react';
import { useEscape } from '@/features/random-chat/hooks/use-escape';

/**
 * Opens and closes the bar that asks 'Skip this chat?'. When it closes, the focus returns to the element that had it
 * before, such as the composer, or to Skip Chat if that element is gone.
 * @param chat  contains the whole chat, in which Escape opens and closes the bar
 * @param toolbarArea  contains the toolbar with Skip Chat
 */
export const useSkipBar = (
  chat: RefObject<HTMLElement | null>,
  toolbarArea: RefObject<HTMLElement | null>,
) => {
  const [isSkipBarOpen, setSkipBarOpen] = useState(false);
  const focusedBefore = useRef<Element | null>(null);
  const openSkipBar = (): void => {
    focusedBefore.current = document.activeElement;
    setSkipBarOpen(true);
  };
  const closeSkipBar = (): void => {
    setSkipBarOpen(false);
    const previous = focusedBefore.current;
    if (previous instanceof HTMLElement && previous !== document.body && previous.isConnected) {
      previous.focus();
      return;
    }
    // Skip Chat is the first button of the toolbar with this attribute.
    toolbarArea.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus();
  };
  const toggleSkipBar = (): void => (isSkipBarOpen ? closeSkipBar() : openSkipBar());
  // An Escape that also closes a toast may close the bar, but must not open it.
  useEscape(chat, ({ isForToast }) => {
    if (isSkipBarOpen) closeSkipBar();
    else if (!isForToast) openSkipBar();
  });
  return { isSkipBarOpen, toggleSkipBar, closeSkipBar };
};
