import { useEffect, type RefObject } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';

const hasKeyboard = (): boolean => matchMedia('(hover: hover) and (pointer: fine)').matches;

/** Whether a key is meant for the element that has the focus, or for a shortcut. */
const isMeantElsewhere = (event: KeyboardEvent): boolean => {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return true;
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]')) return true;
  // Space acts on a focused control or row, and '?' is a shortcut of the page.
  return event.key === '?' || (event.key === ' ' && target.closest('button, a, li, [role]') !== null);
};

/**
 * Moves the focus to the field: on mount on devices with a keyboard, for a reply or an edit, and when the user types
 * while no other field has the focus.
 */
export const useComposerFocus = (
  field: RefObject<HTMLTextAreaElement | null>,
  task: ComposerTask | null,
): void => {
  // Only with a hardware keyboard: on a phone the on-screen keyboard would cover the first message.
  useEffect(() => {
    const focused = document.activeElement;
    // A view that has just opened focuses its heading. The field takes the focus from the heading, but from no other
    // element.
    if (hasKeyboard() && (focused === document.body || focused?.matches('h1[tabindex="-1"]')))
      field.current?.focus();
  }, [field]);

  const taskKey = task && `${task.kind} ${task.message.key}`;
  useEffect(() => {
    if (!taskKey) return;
    // In the next frame, because a dialog that has just closed first restores the focus.
    const frame = requestAnimationFrame(() => {
      const area = field.current;
      area?.focus();
      area?.setSelectionRange(area.value.length, area.value.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [field, taskKey]);

  // The focus moves before the browser inserts the character, so the character lands in the field.
  useEffect(() => {
    const focusOnTyping = (event: KeyboardEvent): void => {
      const area = field.current;
      // Other keys have a name of several characters, such as "Enter".
      const isCharacter = [...event.key].length === 1;
      if (!area || area.closest('[inert]') || !isCharacter || isMeantElsewhere(event)) return;
      area.focus();
    };
    window.addEventListener('keydown', focusOnTyping);
    return () => window.removeEventListener('keydown', focusOnTyping);
  }, [field]);
};
