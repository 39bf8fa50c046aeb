import { useEffect, useRef, useState } from 'react';
import { drawCelebration } from '@/features/random-chat/icebreaker/celebration-effects';
import { IceCube } from '@/features/random-chat/icebreaker/components/ice-cube';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { cn } from '@/lib/class-names';
import { pageLimits } from '@/lib/page-limits';

export interface CelebrationProps {
  gameId: string;
  isMatch: boolean;
  /** Must be the same function at every render: a new one would restart the timer that calls it. */
  onEnd: (gameId: string) => void;
}

/** Shown with reduced motion. The title of a match is also in Portuguese (docs/product-decisions.md, A80). */
const StillBadge = ({ isMatch }: { isMatch: boolean }) => (
  <div
    className={cn(
      'absolute top-24 left-1/2 flex w-max max-w-[90vw] -translate-x-1/2 items-center gap-3 rounded-sheet px-5 py-4',
      isMatch ? 'bg-ice text-background' : 'bg-primary text-primary-foreground',
    )}
  >
    {isMatch ? <IceCube className="size-8" /> : null}
    {/* CSS generates the words from `data-says`, so that the page's text, which has them in `RevealCard`, does not
        contain them twice. */}
    <span>
      <span
        data-says={isMatch ? copy.match.title : copy.plotTwist.title}
        className="block text-lg font-extrabold before:content-[attr(data-says)]"
      />
      {isMatch ? (
        <span
          data-says={copy.match.portuguese}
          className="block text-base font-semibold before:content-[attr(data-says)]"
        />
      ) : null}
    </span>
  </div>
);

/**
 * Shows ice cubes for five seconds when both users gave the same answer (a match), or sparks for three seconds when
 * they did not (a plot twist). With reduced motion, shows a still badge for the same time.
 */
export const Celebration = ({ gameId, isMatch, onEnd }: CelebrationProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isStill] = useState(() => matchMedia('(prefers-reduced-motion: reduce)').matches);

  useEffect(() => {
    const timer = setTimeout(
      () => onEnd(gameId),
      isMatch ? pageLimits.celebrationMs : pageLimits.plotTwistMs,
    );
    return () => clearTimeout(timer);
  }, [gameId, isMatch, onEnd]);

  useEffect(() => {
    if (isStill || !canvas.current) return;
    return drawCelebration(canvas.current, isMatch ? 'ice-cubes' : 'sparks');
  }, [isMatch, isStill]);

  return (
    <div
      role="img"
      aria-label={isMatch ? copy.match.effectLabel : copy.plotTwist.effectLabel}
      className="pointer-events-none absolute inset-0 z-raised overflow-hidden"
    >
      {isStill ? (
        <StillBadge isMatch={isMatch} />
      ) : (
        <canvas ref={canvas} className={cn('size-full', isMatch ? 'text-ice' : 'text-primary')} />
      )}
    </div>
  );
};
