import { useEffect, useState, type ReactNode } from 'react';
import { LoadedPart, type LoadedPartProps } from '@/ui/loaded-part';
import { runWhenIdle } from '@/ui/use-preloaded';

/** An optional part, loaded while the page is idle. `pending` remains if it fails to load. */
export const IdlePart = <P extends object>({
  part,
  pending,
  children,
}: Pick<LoadedPartProps<P>, 'part' | 'children'> & { pending: ReactNode }) => {
  const [isReady, setReady] = useState(false);
  useEffect(() => runWhenIdle(() => void part.preload().then(() => setReady(true))), [part]);
  return isReady ? (
    <LoadedPart part={part} pending={pending} broken={() => pending}>
      {children}
    </LoadedPart>
  ) : (
    pending
  );
};
