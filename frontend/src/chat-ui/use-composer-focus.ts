import { useEffect, type RefObject } from 'react';
import { type ComposerTask } from '@/chat-ui/composer-parts';

const hasKeyboard = (): boolean => matchMedia('(hover: hover) and (pointer: fine)').matches;

const isTaken = (event: KeyboardEvent): boolean => {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return true;
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]')) return true;
  // Space presses a button, and '?' is a shortcut of the page.
  return event.key === '?' || (event.key === ' ' && target.closest('button, a, li, [role]') !== null);
};

/** When the field takes the focus by itself: at first on a desk, for a reply or an edit, and for typing anywhere. */
export const useComposerFocus = (
  field: RefObject<HTMLTextAreaElement | null>,
  task: ComposerTask | null,
): void => {
  // Ready to write at once; a phone would raise its keyboard over the first message.
  useEffect(() => {
    const at = document.activeElement;
    // A heading only has the focus because the view was just opened.
    if (hasKeyboard() && (at === document.body || at?.matches('h1[tabindex="-1"]'))) field.current?.focus();
  }, [field]);

  // Reply and Edit were pressed to write.
  const taskKey = task && `${task.kind} ${task.message.key}`;
  useEffect(() => {
    if (!taskKey) return;
    // A dialog that has just closed gives the focus back first.
    const frame = requestAnimationFrame(() => {
      const area = field.current;
      area?.focus();
      area?.setSelectionRange(area.value.length, area.value.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [field, taskKey]);

  // The character lands in the field, since the focus moves before the browser inserts it.
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const area = field.current;
      if (!area || area.closest('[inert]') || [...event.key].length !== 1 || isTaken(event)) return;
      area.focus();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [field]);
};
