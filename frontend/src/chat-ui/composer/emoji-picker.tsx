import { Smile } from 'lucide-react';
import { useRef, useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { EmojiGrid } from '@/chat-ui/emoji-grid';
import { Popover } from '@/ui/popover';

export interface EmojiPickerProps {
  emojis: readonly string[];
  buttonClass: string;
  onChoose: (emoji: string) => void;
  /** Called when the popover has closed after a choice, to move the focus. */
  onCloseAfterChoice: () => void;
}

/** A fixed set of emojis in a popover above the composer. */
export const EmojiPicker = ({ emojis, buttonClass, onChoose, onCloseAfterChoice }: EmojiPickerProps) => {
  const [isOpen, setOpen] = useState(false);
  /** Whether the user has chosen an emoji since the popover was opened. */
  const wasChosen = useRef(false);
  return (
    <Popover
      button={{
        'aria-label': copy.composer.emojiButton,
        className: buttonClass,
        children: <Smile aria-hidden="true" className="size-5" />,
      }}
      isOpen={isOpen}
      onOpenChange={(shouldOpen) => {
        // Only the popover calls this. A choice closes it by `setOpen`, and so `wasChosen` is still set afterwards.
        wasChosen.current = false;
        setOpen(shouldOpen);
      }}
      label={copy.composer.emojiPicker}
      align="end"
      className="p-2"
      onCloseAutoFocus={(event) => {
        // Without a choice, the focus returns to the button.
        if (!wasChosen.current) return;
        event.preventDefault();
        onCloseAfterChoice();
      }}
    >
      <EmojiGrid
        emojis={emojis}
        label={copy.composer.emojiPicker}
        className="grid-cols-6 gap-0.5 sm:grid-cols-8"
        onChoose={(emoji) => {
          wasChosen.current = true;
          onChoose(emoji);
          setOpen(false);
        }}
      />
    </Popover>
  );
};
