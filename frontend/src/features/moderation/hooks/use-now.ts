import { useEffect, useState } from 'react';

const refreshMs = 30_000;

/** The current time in ms since the epoch, refreshed every 30 s. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  return now;
};
