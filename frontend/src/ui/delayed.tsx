import { useEffect, useState, type ReactNode } from 'react';

/** A wait shorter than this is hardly noticeable, but a placeholder that appears for such a short time is. */
const showAfterMs = 150;

/** Shows its children, a placeholder, only when the content takes longer than `showAfterMs` to load. */
export const Delayed = ({ children }: { children: ReactNode }) => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), showAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
};
