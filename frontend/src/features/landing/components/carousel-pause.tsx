import { Pause, Play } from 'lucide-react';
import { copy } from '@/features/landing/copy';
import { Button } from '@/ui/button';

export interface CarouselPauseProps {
  isPaused: boolean;
  /** Names the content that the button pauses; part of the label. */
  contentName: string;
  onToggle: () => void;
}

/** Pauses moving content for users who need more time to read (WCAG 2.2.2). */
export const CarouselPause = ({ isPaused, contentName, onToggle }: CarouselPauseProps) => {
  const Icon = isPaused ? Play : Pause;
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={isPaused ? copy.carousel.play(contentName) : copy.carousel.pause(contentName)}
      className="text-muted-foreground hover:text-foreground"
      onClick={onToggle}
    >
      <Icon aria-hidden="true" fill="currentColor" strokeWidth={0} />
    </Button>
  );
};
