import { reactionEmojis } from '@thaw/contract/emojis';
import { type Reactions as ReactionCounts } from '@thaw/contract/random-chat';
import { copy } from '@/chat-ui/copy';
import { EmojiGrid } from '@/chat-ui/emoji-grid';
import { getEmojiName } from '@/chat-ui/message/reactions';
import { cn } from '@/lib/class-names';

export interface ReactionChoiceProps {
  reactions: ReactionCounts;
  me: number;
  onChoose: (emoji: string) => void;
  className?: string;
}

/** Buttons for the ten reactions, in the order of the specification; those the user has given are pressed. */
export const ReactionChoice = ({ reactions, me, onChoose, className }: ReactionChoiceProps) => (
  <EmojiGrid
    emojis={reactionEmojis}
    label={copy.actions.reactions}
    className={cn('grid-cols-5 gap-1', className)}
    onChoose={onChoose}
    getEmojiName={getEmojiName}
    isPressed={(emoji) => reactions[emoji]?.users.includes(me) ?? false}
  />
);
