import { reactionEmojis } from '@thaw/contract/emojis';
import { type Reactions as ReactionCounts } from '@thaw/contract/random-chat';
import { copy } from '@/chat-ui/copy';
import { EmojiGrid } from '@/chat-ui/emoji-grid';
import { getEmojiName } from '@/chat-ui/message/reactions';
import { cn } from '@/lib/class-names';

export interface ReactionChoiceProps {
  reactions: ReactionCounts;
  /** Id of the signed-in user. */
  ownId: number;
  onChoose: (emoji: string) => void;
  className?: string;
}

/** Toggle buttons for the ten reactions. Those that the user has added to the message are pressed. */
export const ReactionChoice = ({ reactions, ownId, onChoose, className }: ReactionChoiceProps) => (
  <EmojiGrid
    emojis={reactionEmojis}
    label={copy.actions.chooseReaction}
    className={cn('grid-cols-5 gap-1', className)}
    onChoose={onChoose}
    getEmojiName={getEmojiName}
    isPressed={(emoji) => reactions[emoji]?.users.includes(ownId) ?? false}
  />
);
