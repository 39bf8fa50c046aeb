import { useEffect, useState, type ReactNode } from 'react';

const shownAfterMs = 150;

/** Shows a placeholder only after a moment: what comes at once needs none. */
export const Late = ({ children }: { children: ReactNode }) => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), shownAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
};
