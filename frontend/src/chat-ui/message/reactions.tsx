import { reactionEmojis } from '@thaw/contract/emojis';
import { type Reactions as ReactionCounts } from '@thaw/contract/random-chat';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';
import { useRovingFocus } from '@/ui/roving-focus';

const nameOf = (emoji: string): string => copy.reactions.names[emoji] ?? emoji;

export interface ReactionPillsProps {
  reactions: ReactionCounts;
  me: number;
  /** If absent, the pills are read-only. */
  onReact?: ((emoji: string) => void) | undefined;
}

/** On the lower edge of the bubble; the user's own reaction is tinted. */
export const ReactionPills = ({ reactions, me, onReact }: ReactionPillsProps) => {
  const shown = Object.entries(reactions).filter(([, { count }]) => count > 0);
  if (shown.length === 0) return null;
  return (
    <div className="relative z-raised -mt-1.5 flex flex-wrap gap-1 px-2">
      {shown.map(([emoji, { count, users }]) => {
        const isMine = users.includes(me);
        return (
          <button
            key={emoji}
            type="button"
            aria-pressed={isMine}
            aria-label={copy.reactions.pill(nameOf(emoji), count)}
            disabled={!onReact}
            onClick={() => onReact?.(emoji)}
            className={cn(
              'relative inline-flex h-7 items-center gap-1 rounded-full border-2 border-card px-2 text-sm font-semibold tabular-nums transition-transform active:scale-95',
              // A hit area of 44 px around the smaller pill.
              'after:absolute after:-inset-x-0.5 after:-inset-y-2',
              isMine
                ? 'bg-reaction-mine text-foreground inset-ring inset-ring-primary'
                : 'bg-raised text-foreground',
            )}
          >
            <span aria-hidden="true">{emoji}</span>
            <span aria-hidden="true">{count}</span>
          </button>
        );
      })}
    </div>
  );
};

export interface ReactionChoiceProps {
  reactions: ReactionCounts;
  me: number;
  onChoose: (emoji: string) => void;
  className?: string;
}

/** The ten reactions, in the order of the specification. */
export const ReactionChoice = ({ reactions, me, onChoose, className }: ReactionChoiceProps) => {
  const roving = useRovingFocus({ isGrid: true });
  return (
    <div
      role="group"
      aria-label={copy.actions.reactions}
      className={cn('grid grid-cols-5 gap-1', className)}
      {...roving.group}
    >
      {reactionEmojis.map((emoji, index) => (
        <button
          key={emoji}
          {...roving.item(index)}
          type="button"
          aria-label={nameOf(emoji)}
          aria-pressed={reactions[emoji]?.users.includes(me) ?? false}
          onClick={() => onChoose(emoji)}
          className="grid size-11 place-items-center rounded-control text-xl transition-[background-color,transform] hover:bg-raised active:scale-90 aria-pressed:bg-reaction-mine aria-pressed:inset-ring aria-pressed:inset-ring-primary"
        >
          <span aria-hidden="true">{emoji}</span>
        </button>
      ))}
    </div>
  );
};
