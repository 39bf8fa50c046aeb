import { type Reactions as ReactionCounts } from '@thaw/contract/random-chat';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';

export const getEmojiName = (emoji: string): string => copy.reactions.names[emoji] ?? emoji;

export interface ReactionPillsProps {
  reactions: ReactionCounts;
  /** Id of the signed-in user. */
  ownId: number;
  /** If absent, the pills are read-only. */
  onReact?: ((emoji: string) => void) | undefined;
}

/** The reactions to a message, on the lower edge of its bubble. The user's own reactions are tinted. */
export const ReactionPills = ({ reactions, ownId, onReact }: ReactionPillsProps) => {
  const shownReactions = Object.entries(reactions).filter(([, { count }]) => count > 0);
  if (shownReactions.length === 0) return null;
  return (
    <div className="relative z-raised -mt-1.5 flex flex-wrap gap-1 px-2">
      {shownReactions.map(([emoji, { count, users }]) => {
        const isMine = users.includes(ownId);
        return (
          <button
            key={emoji}
            type="button"
            aria-pressed={isMine}
            aria-label={copy.reactions.nameAndCount(getEmojiName(emoji), count)}
            disabled={!onReact}
            onClick={() => onReact?.(emoji)}
            className={cn(
              'relative inline-flex h-7 items-center gap-1 rounded-full border-2 border-card px-2 text-sm font-semibold tabular-nums transition-transform active:scale-95',
              // Extends the hit area above and below the pill, to a height of 44 px.
              'after:absolute after:-inset-x-0.5 after:-inset-y-2.5',
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
