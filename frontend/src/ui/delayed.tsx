import { useEffect, useState, type ReactNode } from 'react';

/** Shorter waits are hardly noticeable, unlike a placeholder that flashes. */
const showAfterMs = 150;

/** Delays a placeholder, so that none is shown while content loads quickly. */
export const Delayed = ({ children }: { children: ReactNode }) => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), showAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
};
