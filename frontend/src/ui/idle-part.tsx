import { useEffect, useState, type ReactNode } from 'react';
import { LoadedPart, type LoadedPartProps } from '@/ui/loaded-part';
import { runWhenIdle } from '@/ui/use-preloaded';

/**
 * Loads an optional part (a component with lazily loaded code) while the page is idle. Shows `pending` until the part
 * is loaded, and permanently if loading fails.
 */
export const IdlePart = <P extends object>({
  part,
  pending,
  children,
}: Pick<LoadedPartProps<P>, 'part' | 'children'> & { pending: ReactNode }) => {
  // Also true after a failed preload: `LoadedPart` then loads the part again.
  const [wasPreloaded, setPreloaded] = useState(false);
  useEffect(() => runWhenIdle(() => void part.preload().then(() => setPreloaded(true))), [part]);
  return wasPreloaded ? (
    <LoadedPart part={part} pending={pending} broken={() => pending}>
      {children}
    </LoadedPart>
  ) : (
    pending
  );
};
