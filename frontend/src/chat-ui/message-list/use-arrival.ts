import { useCallback, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * Key of the row that was just appended and plays its entry animation. A row plays it once: not when it is scrolled
 * back into view, and not when the row after it is removed.
 */
export const useArrival = (messages: readonly ChatMessage[]) => {
  const count = messages.length;
  const lastKey = messages.at(-1)?.key;
  const [known, setKnown] = useState<{
    count: number;
    lastKey: string | undefined;
    arrivingKey: string | null;
  }>({
    count,
    lastKey,
    arrivingKey: null,
  });
  if (known.count !== count || known.lastKey !== lastKey) {
    const isAppended = known.count > 0 && count > known.count && lastKey !== known.lastKey;
    const arrivingKey = lastKey === known.lastKey ? known.arrivingKey : isAppended ? (lastKey ?? null) : null;
    setKnown({ count, lastKey, arrivingKey });
  }
  const finishArrival = useCallback(() => setKnown((before) => ({ ...before, arrivingKey: null })), []);
  return { arrivingKey: known.arrivingKey, finishArrival };
};
