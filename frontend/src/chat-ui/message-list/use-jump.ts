import { type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useImperativeHandle, useState, type Ref } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/** Lets other components scroll the list. */
export interface ConversationHandle {
  scrollToEnd: () => void;
  /** @returns false if the message is not loaded */
  jumpTo: (messageId: string) => boolean;
}

/**
 * Provides the list's handle. A jump scrolls to a message and marks it with a short animation; call `finishFlash` when
 * the animation has ended.
 * @param noteUserAction  called before a jump, so that its scrolling counts as the user's
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
