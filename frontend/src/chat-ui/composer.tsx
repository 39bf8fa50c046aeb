import { limits } from '@thaw/contract/limits';
import { codePointLength, normalizeText } from '@thaw/contract/text';
import { ArrowUp } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';

export interface ComposerProps {
  /** True when the text was taken; otherwise it stays. */
  onSend: (text: string) => boolean;
  onType?: () => void;
  /** A quiet line above the field. */
  notice?: string | null;
  /** Subscribes to texts that come back; each is put before what stands there. */
  onReturned?: (take: (text: string) => void) => () => void;
}

const maximumHeightPx = 168;

/** Grows from one line to six. Enter sends, Shift+Enter breaks, and Enter that ends a composition does neither. */
export const Composer = ({ onSend, onType, notice, onReturned }: ComposerProps) => {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const noticeId = useId();
  const countId = useId();

  useEffect(
    () => onReturned?.((back) => setText((present) => (present === '' ? back : `${back}\n${present}`))),
    [onReturned],
  );

  // Ready to write at once; a phone would raise its keyboard over the first message.
  useEffect(() => {
    const hasKeyboard = matchMedia('(hover: hover) and (pointer: fine)').matches;
    if (hasKeyboard && document.activeElement === document.body) field.current?.focus();
  }, []);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, maximumHeightPx)}px`;
  }, [text]);

  const content = normalizeText(text);
  const length = codePointLength(content);
  const isTooLong = length > limits.messageMaxCodePoints;
  const canSend = length > 0 && !isTooLong;
  const showsCount = length >= limits.messageCounterFromCodePoints;

  const send = (): void => {
    if (canSend && onSend(content)) setText('');
    field.current?.focus();
  };

  return (
    <form
      className="mx-auto w-full max-w-4xl px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6 md:pb-6"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="flex min-h-5 items-center justify-between gap-4 px-3 pb-1 text-sm">
        <p id={noticeId} role="status" className="text-warning">
          {notice ? <span className="enter-rise inline-block">{notice}</span> : null}
        </p>
        {showsCount ? (
          <p
            id={countId}
            className={cn(
              'tabular-nums',
              isTooLong ? 'font-semibold text-destructive' : 'text-muted-foreground',
            )}
          >
            {copy.composer.count(length, limits.messageMaxCodePoints)}
          </p>
        ) : null}
      </div>
      <div className="flex items-end gap-1 rounded-sheet border border-input bg-background p-1 transition-colors focus-within:border-primary">
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={copy.composer.label}
          aria-describedby={cn(notice && noticeId, showsCount && countId) || undefined}
          aria-invalid={isTooLong || undefined}
          placeholder={copy.composer.placeholder}
          enterKeyHint="send"
          className="max-h-42 min-h-11 w-full min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 text-md outline-none placeholder:text-muted-foreground md:text-chat"
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value.trim() !== '') onType?.();
          }}
          onKeyDown={(event) => {
            // 229: Safari reports the Enter that ends a composition after the composition.
            const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
            if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button
          type="submit"
          aria-label={copy.composer.send}
          disabled={!canSend}
          className={cn(
            'grid size-11 shrink-0 place-items-center rounded-full transition-[background-color,color,transform] duration-150',
            canSend
              ? 'bg-primary text-primary-foreground active:scale-95'
              : 'bg-raised text-muted-foreground opacity-60',
          )}
        >
          <ArrowUp className="size-5" aria-hidden="true" />
        </button>
      </div>
    </form>
  );
};
