import { type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useImperativeHandle, useState, type Ref } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/** Scrolls the list from outside. */
export interface ConversationHandle {
  scrollToEnd: () => void;
  /** Returns false when the message is not loaded. */
  jumpTo: (messageId: string) => boolean;
}

/**
 * Provides the list's handle. A jump also marks the message with a short animation, until `finishFlash` is called.
 * @param noteUserAction  called before the list is moved for the user.
 */
export const useJump = (
  ref: Ref<ConversationHandle> | undefined,
  messages: readonly ChatMessage[],
  virtualizer: Pick<Virtualizer<HTMLDivElement, Element>, 'scrollToEnd' | 'scrollToIndex'>,
  noteUserAction: () => void,
) => {
  const [flashingKey, setFlashingKey] = useState<string | null>(null);
  const jumpTo = useCallback(
    (messageId: string): boolean => {
      const index = messages.findIndex(({ id }) => id === messageId);
      if (index < 0) return false;
      noteUserAction();
      virtualizer.scrollToIndex(index, { align: 'center' });
      setFlashingKey(messages[index]?.key ?? null);
      return true;
    },
    [noteUserAction, messages, virtualizer],
  );
  useImperativeHandle(ref, () => ({ scrollToEnd: () => virtualizer.scrollToEnd(), jumpTo }), [
    jumpTo,
    virtualizer,
  ]);
  const finishFlash = useCallback(() => setFlashingKey(null), []);
  return { flashingKey, finishFlash };
};
