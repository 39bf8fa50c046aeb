import { Smile } from 'lucide-react';
import { useRef, useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { Popover } from '@/ui/popover';
import { useRovingFocus } from '@/ui/roving-focus';

export interface EmojiPickerProps {
  emojis: readonly string[];
  className: string;
  onChoose: (emoji: string) => void;
  /** Called after a choice, to move the focus. */
  onChosen: () => void;
}

const EmojiGrid = ({ emojis, onChoose }: Pick<EmojiPickerProps, 'emojis' | 'onChoose'>) => {
  const roving = useRovingFocus({ isGrid: true });
  return (
    <div
      role="group"
      aria-label={copy.composer.emojis}
      className="grid grid-cols-6 gap-0.5 sm:grid-cols-8"
      {...roving.group}
    >
      {emojis.map((emoji, index) => (
        <button
          key={emoji}
          type="button"
          {...roving.item(index)}
          className="grid size-11 place-items-center rounded-control text-xl transition-[background-color,transform] hover:bg-raised active:scale-90"
          onClick={() => onChoose(emoji)}
        >
          {emoji}
        </button>
      ))}
    </div>
  );
};

/** A fixed set of emojis in a popover above the composer. */
export const EmojiPicker = ({ emojis, className, onChoose, onChosen }: EmojiPickerProps) => {
  const [isOpen, setOpen] = useState(false);
  const wasChosen = useRef(false);
  return (
    <Popover
      button={{
        'aria-label': copy.composer.emoji,
        className,
        children: <Smile aria-hidden="true" className="size-5" />,
      }}
      isOpen={isOpen}
      onOpenChange={(open) => {
        wasChosen.current = false;
        setOpen(open);
      }}
      label={copy.composer.emojis}
      align="end"
      className="p-2"
      onCloseAutoFocus={(event) => {
        if (!wasChosen.current) return;
        event.preventDefault();
        onChosen();
      }}
    >
      <EmojiGrid
        emojis={emojis}
        onChoose={(emoji) => {
          wasChosen.current = true;
          onChoose(emoji);
          setOpen(false);
        }}
      />
    </Popover>
  );
};
