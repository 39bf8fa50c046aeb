import { useCallback, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * Finds the row that was just appended, which plays the entry animation. A row plays the animation once: not again when
 * it is scrolled back into view, and not when it becomes the last row because the row after it is removed.
 */
export const useArrival = (messages: readonly ChatMessage[]) => {
  const count = messages.length;
  const lastKey = messages.at(-1)?.key;
  const [rendered, setRendered] = useState<{
    count: number;
    lastKey: string | undefined;
    arrivingKey: string | null;
  }>({
    count,
    lastKey,
    arrivingKey: null,
  });
  // Set while rendering: an effect would run after the new row has been painted without its animation.
  if (rendered.count !== count || rendered.lastKey !== lastKey) {
    // The first rows of a list are loaded, not appended.
    const isAppended = rendered.count > 0 && count > rendered.count;
    const appendedKey = isAppended ? (lastKey ?? null) : null;
    // The last row is the same when older rows are loaded above it: its animation continues.
    const arrivingKey = lastKey === rendered.lastKey ? rendered.arrivingKey : appendedKey;
    setRendered({ count, lastKey, arrivingKey });
  }
  const finishArrival = useCallback(() => setRendered((before) => ({ ...before, arrivingKey: null })), []);
  return { arrivingKey: rendered.arrivingKey, finishArrival };
};
