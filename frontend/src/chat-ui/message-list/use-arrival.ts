import { useCallback, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * Key of the row that was just appended and plays its entry animation. A row plays it once: not when it is scrolled
 * back into view, and not when the row after it is removed.
 */
export const useArrival = (messages: readonly ChatMessage[]) => {
  const count = messages.length;
  const lastKey = messages.at(-1)?.key;
  const [known, setKnown] = useState<{ count: number; lastKey: string | undefined; arriving: string | null }>(
    {
      count,
      lastKey,
      arriving: null,
    },
  );
  if (known.count !== count || known.lastKey !== lastKey) {
    const isAppended = known.count > 0 && count > known.count && lastKey !== known.lastKey;
    const arriving = lastKey === known.lastKey ? known.arriving : isAppended ? (lastKey ?? null) : null;
    setKnown({ count, lastKey, arriving });
  }
  const arrived = useCallback(() => setKnown((before) => ({ ...before, arriving: null })), []);
  return { arriving: known.arriving, arrived };
};
