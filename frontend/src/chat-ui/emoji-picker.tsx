import { Smile } from 'lucide-react';
import * as Popover from 'radix-ui/popover';
import { useRef, useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { useRovingFocus } from '@/ui/roving-focus';

export interface EmojiPickerProps {
  emojis: readonly string[];
  className: string;
  onChoose: (emoji: string) => void;
  /** Where the focus goes after a choice. */
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

/** A fixed handful of emojis over the composer. */
export const EmojiPicker = ({ emojis, className, onChoose, onChosen }: EmojiPickerProps) => {
  const [isOpen, setOpen] = useState(false);
  const wasChosen = useRef(false);
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        wasChosen.current = false;
        setOpen(open);
      }}
    >
      <Popover.Trigger aria-label={copy.composer.emoji} className={className}>
        <Smile aria-hidden="true" className="size-5" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="end"
          sideOffset={8}
          collisionPadding={8}
          aria-label={copy.composer.emojis}
          className="pop z-popover rounded-card border border-border bg-popover p-2 shadow-elevated outline-none"
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
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};
