import { useEffect, useState } from 'react';
import { Stage } from '@/features/random-chat/components/stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { pageLimits } from '@/lib/page-limits';
import { getServerNow } from '@/lib/server-clock';
import { formatMinutesAndSeconds } from '@/lib/time';
import { Button } from '@/ui/button';

/** The server's time in milliseconds since the epoch, updated after each `intervalMs`. */
const useServerNow = (intervalMs: number): number => {
  const [now, setNow] = useState(getServerNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(getServerNow()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
};

export const SearchingStage = () => {
  const since = useRandomChat((state) => state.searchingSince);
  const isCompatibleUserWaiting = useRandomChat((state) => state.anyoneMatches);
  const now = useServerNow(1_000);
  // `now` is an estimate of the server's time, so it can be slightly earlier than `since`.
  const waitedMs = since === null ? 0 : Math.max(0, now - since);
  const longSearchHint = waitedMs >= pageLimits.searchHintAfterMs ? copy.searching.hint : null;
  return (
    <Stage
      dots="seeking"
      phase="searching"
      title={copy.searching.title}
      lead={
        <>
          <p>{copy.searching.lead}</p>
          <p role="status" className="mt-2 min-h-6 text-base">
            {isCompatibleUserWaiting ? longSearchHint : copy.searching.noOneMatches}
          </p>
        </>
      }
    >
      <div className="flex items-center justify-between gap-4">
        <Button variant="outline" size="lg" onClick={randomChat.cancelSearch}>
          {copy.searching.cancel}
        </Button>
        <p className="text-base text-muted-foreground tabular-nums">
          {copy.searching.waited(formatMinutesAndSeconds(waitedMs))}
        </p>
      </div>
    </Stage>
  );
};
