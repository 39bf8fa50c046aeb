import { SkipForward } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ToolbarButton } from '@/chat-ui/toolbar-button';
import { copy } from '@/features/random-chat/copy';
import { Button } from '@/ui/button';

export interface SkipButtonProps {
  isSkipBarOpen: boolean;
  onToggleSkipBar: () => void;
}

export const SkipButton = ({ isSkipBarOpen, onToggleSkipBar }: SkipButtonProps) => (
  <ToolbarButton
    icon={<SkipForward aria-hidden="true" />}
    label={copy.active.skip}
    aria-expanded={isSkipBarOpen}
    onClick={onToggleSkipBar}
  />
);

export interface SkipBarProps {
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks for confirmation above the messages; the chat ends only on Confirm. */
export const SkipBar = ({ onConfirm, onCancel }: SkipBarProps) => {
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => confirm.current?.focus(), []);
  return (
    <div
      role="group"
      // Toasts do not cover a bar with this attribute.
      data-controls=""
      aria-labelledby="skip-question"
      className="enter-rise border-b border-border bg-raised"
    >
      <div className="mx-auto flex w-full max-w-4xl flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2 md:px-6">
        <p id="skip-question" className="text-base font-semibold">
          {copy.active.skipQuestion}
        </p>
        <div className="flex gap-2">
          <Button ref={confirm} variant="destructive" onClick={onConfirm}>
            {copy.active.skipConfirm}
          </Button>
          <Button variant="ghost" className="hover:bg-card" onClick={onCancel}>
            {copy.active.skipCancel}
          </Button>
        </div>
      </div>
    </div>
  );
};
