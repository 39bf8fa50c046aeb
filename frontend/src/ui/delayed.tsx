import { useEffect, useState, type ReactNode } from 'react';

/** A shorter wait is hardly noticed, and a placeholder that flashes up would be. */
const shownAfterMs = 150;

/** Delays a placeholder, so that none is shown while content loads quickly. */
export const Delayed = ({ children }: { children: ReactNode }) => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), shownAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
};
