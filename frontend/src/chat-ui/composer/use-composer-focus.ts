import { useEffect, type RefObject } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';

type FieldRef = RefObject<HTMLTextAreaElement | null>;

const hasKeyboard = (): boolean => matchMedia('(hover: hover) and (pointer: fine)').matches;

/** Whether nothing is focused, or only a heading: a view that opens focuses its heading, which announces the view. */
const isFocusFree = (): boolean => {
  const focused = document.activeElement;
  return focused === document.body || focused?.matches('h1[tabindex="-1"]') === true;
};

/** Whether a key types a character. Other keys have a name of several characters, such as "Enter". */
const isCharacter = ({ key }: KeyboardEvent): boolean => [...key].length === 1;

/** Whether a key is not meant for the field, but for the focused element or a shortcut. */
const isMeantElsewhere = (event: KeyboardEvent): boolean => {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return true;
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu]')) return true;
  // Space acts on a focused control or row, and '?' is a shortcut of the page.
  return event.key === '?' || (event.key === ' ' && target.closest('button, a, li, [role]') !== null);
};

/** Focuses the field on mount, except on phones, where the on-screen keyboard would cover the first message. */
const useFocusOnMount = (field: FieldRef): void => {
  useEffect(() => {
    if (hasKeyboard() && isFocusFree()) field.current?.focus();
  }, [field]);
};

/** Focuses the field, with the cursor at its end, when the user starts a reply or an edit. */
const useFocusForTask = (field: FieldRef, task: ComposerTask | null): void => {
  const taskKey = task && `${task.kind} ${task.message.key}`;
  useEffect(() => {
    if (!taskKey) return;
    // In the next frame, because a dialog that has just closed first restores the focus.
    const frame = requestAnimationFrame(() => {
      const textarea = field.current;
      textarea?.focus();
      textarea?.setSelectionRange(textarea.value.length, textarea.value.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [field, taskKey]);
};

/**
 * Focuses the field when the user types while no other field has the focus. The focus moves before the browser inserts
 * the character, so the character lands in the field.
 */
const useFocusOnTyping = (field: FieldRef): void => {
  useEffect(() => {
    const focusOnTyping = (event: KeyboardEvent): void => {
      const textarea = field.current;
      if (!textarea || textarea.closest('[inert]')) return;
      if (isCharacter(event) && !isMeantElsewhere(event)) textarea.focus();
    };
    window.addEventListener('keydown', focusOnTyping);
    return () => window.removeEventListener('keydown', focusOnTyping);
  }, [field]);
};

/** Moves the focus to the message field whenever the user is likely to write next. */
export const useComposerFocus = (field: FieldRef, task: ComposerTask | null): void => {
  useFocusOnMount(field);
  useFocusForTask(field, task);
  useFocusOnTyping(field);
};
