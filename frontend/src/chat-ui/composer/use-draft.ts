import { useCallback, useEffect, useRef, useState } from 'react';
import { type Draft, type DraftStorage } from '@/chat-ui/composer/draft';

/**
 * Reads the draft of the conversation on the first render, and stores its changes.
 * @param onReplaced  called with the new text when another tab has changed the draft
 */
export const useDraft = (
  { read, write, onOtherTabChange }: DraftStorage,
  onReplaced: (text: string) => void,
) => {
  const [initial] = useState(read);
  const draft = useRef(initial);
  const change = useCallback(
    (changes: Partial<Draft>): void => {
      draft.current = { ...draft.current, ...changes };
      write(draft.current);
    },
    [write],
  );
  const latestOnReplaced = useRef(onReplaced);
  useEffect(() => {
    latestOnReplaced.current = onReplaced;
  });
  useEffect(() => {
    const unsubscribe = onOtherTabChange?.(() => latestOnReplaced.current(read().text));
    return unsubscribe;
  }, [onOtherTabChange, read]);
  return { initial, change };
};
