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
  // `preload` resolves even if loading fails; `LoadedPart` then loads the part again.
  const [isPreloadOver, setPreloadOver] = useState(false);
  useEffect(() => runWhenIdle(() => void part.preload().then(() => setPreloadOver(true))), [part]);
  return isPreloadOver ? (
    <LoadedPart part={part} pending={pending} renderFailure={() => pending}>
      {children}
    </LoadedPart>
  ) : (
    pending
  );
};
