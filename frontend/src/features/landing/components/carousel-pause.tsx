import { Pause, Play } from 'lucide-react';
import { copy } from '@/features/landing/copy';
import { Button } from '@/ui/button';

export interface CarouselPauseProps {
  isPaused: boolean;
  /** What it stops. */
  what: string;
  onToggle: () => void;
}

/** Whoever reads slowly stops it (WCAG 2.2.2). */
export const CarouselPause = ({ isPaused, what, onToggle }: CarouselPauseProps) => {
  const Icon = isPaused ? Play : Pause;
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={isPaused ? copy.carousel.play(what) : copy.carousel.pause(what)}
      className="text-muted-foreground hover:text-foreground"
      onClick={onToggle}
    >
      <Icon aria-hidden="true" fill="currentColor" strokeWidth={0} />
    </Button>
  );
};
