import { cn } from '@/lib/class-names';
import { useRovingFocus } from '@/ui/roving-focus';

export interface EmojiGridProps {
  emojis: readonly string[];
  /** Names the grid for screen readers. */
  label: string;
  /** Sets the columns and the gap. */
  className: string;
  onChoose: (emoji: string) => void;
  /** The spoken name of an emoji; without it screen readers use their own. */
  getEmojiName?: (emoji: string) => string;
  /** Turns the emojis into toggle buttons; returns whether the given one is pressed. */
  isPressed?: (emoji: string) => boolean;
}

/** A grid of emoji buttons that is one tab stop. */
export const EmojiGrid = ({
  emojis,
  label,
  className,
  onChoose,
  getEmojiName,
  isPressed,
}: EmojiGridProps) => {
  const roving = useRovingFocus({ isGrid: true });
  return (
    <div role="group" aria-label={label} className={cn('grid', className)} {...roving.group}>
      {emojis.map((emoji, index) => (
        <button
          key={emoji}
          {...roving.getItemProps(index)}
          type="button"
          aria-label={getEmojiName?.(emoji)}
          aria-pressed={isPressed?.(emoji)}
          onClick={() => onChoose(emoji)}
          className="grid size-11 place-items-center rounded-control text-xl transition-[background-color,transform] hover:bg-raised active:scale-90 aria-pressed:bg-reaction-mine aria-pressed:inset-ring aria-pressed:inset-ring-primary"
        >
          <span aria-hidden={getEmojiName ? 'true' : undefined}>{emoji}</span>
        </button>
      ))}
    </div>
  );
};
