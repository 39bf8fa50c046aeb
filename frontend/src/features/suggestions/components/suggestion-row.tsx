import { RefreshCw, Sparkles, X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { copy } from '@/features/suggestions/copy';
import { type IdeasOptions, useIdeas } from '@/features/suggestions/hooks/use-ideas';
import { recordUsed } from '@/features/suggestions/stores/suggestions.store';
import { cn } from '@/lib/class-names';
import { Tooltip } from '@/ui/tooltip';

/**
 * When the row disappears while it has the focus, the button that opens it again takes the focus.
 * @returns the ref of the row
 */
const useFocusReturn = () => {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = row;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      current.closest('form')?.querySelector<HTMLElement>('[data-suggest]')?.focus();
    };
  }, []);
  return row;
};

const controlClass =
  'grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground transition-colors hover:bg-raised hover:text-foreground';

const chipClass = 'h-11 min-w-[min(13rem,88%)] flex-1 snap-start rounded-card';

/** React keys of the placeholders, which are shown while the model is asked. */
const placeholderKeys = ['1', '2', '3'];

/** Shows where the ideas come from, the language model or this page; opens the dialog that changes it. */
const SourceButton = ({
  host,
  isFromModel,
  onPress,
}: {
  host: string;
  isFromModel: boolean;
  onPress: () => void;
}) => {
  const label = isFromModel ? copy.fromModel(host) : copy.fromPage;
  return (
    <Tooltip label={label}>
      <button
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        className={cn(controlClass, 'snap-start', isFromModel && 'text-primary')}
        onClick={onPress}
      >
        <Sparkles aria-hidden="true" className="size-4" />
      </button>
    </Tooltip>
  );
};

export interface SuggestionRowProps extends IdeasOptions {
  /** Host of the language model; null if the server has no model. */
  host: string | null;
  /** Opens the dialog that asks where ideas should come from. */
  onChangeSource: () => void;
  /** Puts a text into the composer. */
  insert: (text: string) => void;
  onHide: () => void;
}

/**
 * Up to three suggestions (`ideas`) beside each other, scrolled by swiping where they are wider than the composer. They
 * do not change while they are shown, except by 'Other ideas'. The row covers the space above the composer that is
 * reserved for the typing line and the notice, so the messages do not move.
 */
export const SuggestionRow = ({ host, onChangeSource, insert, onHide, ...options }: SuggestionRowProps) => {
  const { ideas, isFromModel, drawOthers } = useIdeas(options);
  const row = useFocusReturn();
  const strip = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={row}
      role="group"
      aria-label={copy.groupLabel}
      aria-busy={ideas === null}
      data-ideas-row
      className="absolute inset-x-0 bottom-full z-raised mb-2 flex items-center bg-card"
    >
      <div
        ref={strip}
        className="flex min-w-0 flex-1 snap-x gap-2 overflow-x-auto overscroll-x-contain [scrollbar-width:none]"
      >
        {host === null ? null : (
          <SourceButton host={host} isFromModel={isFromModel} onPress={onChangeSource} />
        )}
        {ideas === null
          ? placeholderKeys.map((key) => (
              <div key={key} aria-hidden="true" className={cn(chipClass, 'animate-pulse bg-raised')} />
            ))
          : ideas.map((text) => (
              <button
                key={text}
                type="button"
                title={isFromModel && host !== null ? copy.fromModel(host) : undefined}
                className={cn(
                  chipClass,
                  'enter-rise flex items-center justify-center gap-2 border border-input px-3 text-center text-sm font-semibold text-foreground transition-colors hover:bg-raised focus-visible:-outline-offset-2',
                )}
                onClick={() => {
                  recordUsed(options.conversationId, text);
                  insert(text);
                }}
              >
                {isFromModel ? (
                  <Sparkles aria-hidden="true" className="size-4 shrink-0 text-primary" />
                ) : null}
                <span className="line-clamp-2 text-balance">{text}</span>
              </button>
            ))}
      </div>
      <Tooltip label={copy.drawOthers}>
        <button
          type="button"
          aria-label={copy.drawOthers}
          className={controlClass}
          onClick={() => {
            drawOthers();
            strip.current?.scrollTo({ left: 0 });
          }}
        >
          <RefreshCw aria-hidden="true" className="size-4" />
        </button>
      </Tooltip>
      <Tooltip label={copy.hide}>
        <button type="button" aria-label={copy.hide} className={controlClass} onClick={onHide}>
          <X aria-hidden="true" className="size-4" />
        </button>
      </Tooltip>
    </div>
  );
};
