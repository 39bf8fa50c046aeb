import { useCallback, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * Finds the row that was just appended and plays its entry animation. A row plays the animation once: not again when it
 * is scrolled back into view, and not when it becomes the last row because the row after it is removed.
 */
export const useArrival = (messages: readonly ChatMessage[]) => {
  const count = messages.length;
  const lastKey = messages.at(-1)?.key;
  const [previous, setPrevious] = useState<{
    count: number;
    lastKey: string | undefined;
    arrivingKey: string | null;
  }>({
    count,
    lastKey,
    arrivingKey: null,
  });
  if (previous.count !== count || previous.lastKey !== lastKey) {
    // The first rows of a list are loaded, not appended.
    const isAppended = previous.count > 0 && count > previous.count;
    const appendedKey = isAppended ? (lastKey ?? null) : null;
    // The last row is the same when older rows are loaded above it: its animation continues.
    const arrivingKey = lastKey === previous.lastKey ? previous.arrivingKey : appendedKey;
    setPrevious({ count, lastKey, arrivingKey });
  }
  const finishArrival = useCallback(() => setPrevious((before) => ({ ...before, arrivingKey: null })), []);
  return { arrivingKey: previous.arrivingKey, finishArrival };
};
