import { useEffect, useState } from 'react';

/** Half a minute, because times and durations are shown in whole minutes. */
const refreshMs = 30_000;

/** The current time in ms since the epoch, refreshed every `refreshMs`. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  return now;
};
