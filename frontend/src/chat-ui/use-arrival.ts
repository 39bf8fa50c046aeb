import { useCallback, useState } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * The row that has just been appended, and comes in moving: once, and neither when it is scrolled back into sight nor
 * when the row after it is taken away.
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
