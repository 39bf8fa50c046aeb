import { RefreshCw, Sparkles, X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { copy } from '@/features/suggestions/copy';
import { type IdeasOptions, useIdeas } from '@/features/suggestions/hooks/use-ideas';
import { recordUsed } from '@/features/suggestions/stores/suggestions.store';
import { cn } from '@/lib/class-names';
import { Tooltip } from '@/ui/tooltip';

/**
 * Moves the focus to the button that opens the row, when the row disappears while it has the focus.
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

/** Of an idea, and of a placeholder in its place. */
const ideaClass = 'h-11 min-w-[min(13rem,88%)] flex-1 snap-start rounded-card';

/** Shown while the language model is asked. */
const Placeholders = () => (
  <>
    {['1', '2', '3'].map((key) => (
      <div key={key} aria-hidden="true" className={cn(ideaClass, 'animate-pulse bg-raised')} />
    ))}
  </>
);

const IdeaButton = ({
  text,
  modelHost,
  onPress,
}: {
  text: string;
  /** Host of the model that the idea comes from; null for an idea of this page. */
  modelHost: string | null;
  onPress: () => void;
}) => (
  <button
    type="button"
    title={modelHost === null ? undefined : copy.fromModel(modelHost)}
    className={cn(
      ideaClass,
      'enter-rise flex items-center justify-center gap-2 border border-input px-3 text-center text-sm font-semibold text-foreground transition-colors hover:bg-raised focus-visible:-outline-offset-2',
    )}
    onClick={onPress}
  >
    {modelHost === null ? null : <Sparkles aria-hidden="true" className="size-4 shrink-0 text-primary" />}
    <span className="line-clamp-2 text-balance">{text}</span>
  </button>
);

/** Shows where the ideas come from, the language model or this page. Opens the dialog that changes the source. */
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
 * change only when the user asks for other ideas or chooses another source. The row covers the space above the composer
 * that is reserved for the typing line and the notice, so the messages do not move.
 */
export const SuggestionRow = ({ host, onChangeSource, insert, onHide, ...options }: SuggestionRowProps) => {
  const { ideas, isFromModel, drawOthers } = useIdeas(options);
  const row = useFocusReturn();
  const strip = useRef<HTMLDivElement>(null);
  const insertIdea = (text: string): void => {
    recordUsed(options.conversationId, text);
    insert(text);
  };
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
        {ideas === null ? <Placeholders /> : null}
        {ideas?.map((text) => (
          <IdeaButton
            key={text}
            text={text}
            modelHost={isFromModel ? host : null}
            onPress={() => insertIdea(text)}
          />
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
