import { RefreshCw, X } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { isCard, isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { chooseStarters, suggestionsShown } from '@/features/suggestions/choose-starters';
import { copy } from '@/features/suggestions/copy';
import { starters } from '@/features/suggestions/starters';
import { recordUsed, useSuggestions } from '@/features/suggestions/stores/suggestions.store';
import { Tooltip } from '@/ui/tooltip';

/** Their addresses are not words. */
const imageMarkers = /\[IMAGE:[^\]]*\]/g;

const readText = ({ type, content, isDeleted, picture }: ChatMessage): string =>
  isDeleted === true || (type === 'image' && !picture) ? '' : content.replace(imageMarkers, ' ').trim();

/** What both users wrote, oldest first; pictures without a caption and deleted messages are empty texts. */
const readTexts = (messages: readonly ChatMessage[]): string[] =>
  messages.filter((message) => !isNotice(message) && !isCard(message)).map(readText);

/** Draws ideas that were not shown before, until there are none left; then all but the used ones return. */
const drawIdeas = (
  conversationId: string,
  messages: readonly ChatMessage[],
  shownBefore: readonly string[],
): { ideas: readonly string[]; shown: readonly string[] } => {
  const texts = readTexts(messages);
  const used = new Set([...texts, ...(useSuggestions.getState().usedIn[conversationId] ?? [])]);
  const draw = (shown: readonly string[]): string[] =>
    chooseStarters(
      starters,
      { conversationId, texts },
      ({ text }) => used.has(text) || shown.includes(text),
    ).map(({ text }) => text);
  const others = draw(shownBefore);
  if (others.length === suggestionsShown) return { ideas: others, shown: [...shownBefore, ...others] };
  const again = draw([]);
  return { ideas: again, shown: again };
};

/** When the row disappears with the focus in it, the button that brings it back takes the focus. */
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

export interface SuggestionRowProps {
  conversationId: string;
  messages: readonly ChatMessage[];
  /** Puts a text into the composer. */
  insert: (text: string) => void;
  onHide: () => void;
}

/**
 * Three suggestions beside each other, scrolled by swiping where they are wider than the composer. They do not change
 * while they are shown, except by 'Other ideas'. The row lies over the gap that the typing line and the notice of the
 * composer leave free, so the messages do not move.
 */
export const SuggestionRow = ({ conversationId, messages, insert, onHide }: SuggestionRowProps) => {
  const [{ ideas, shown }, setDrawn] = useState(() => drawIdeas(conversationId, messages, []));
  const row = useFocusReturn();
  const strip = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={row}
      role="group"
      aria-label={copy.group}
      data-ideas-row
      className="absolute inset-x-0 bottom-full z-raised mb-2 flex items-center bg-card"
    >
      <div
        ref={strip}
        className="flex min-w-0 flex-1 snap-x gap-2 overflow-x-auto overscroll-x-contain [scrollbar-width:none]"
      >
        {ideas.map((text) => (
          <button
            key={text}
            type="button"
            className="enter-rise flex h-11 min-w-[min(13rem,88%)] flex-1 snap-start items-center justify-center rounded-card border border-input px-3 text-center text-sm font-semibold text-foreground transition-colors hover:bg-raised focus-visible:-outline-offset-2"
            onClick={() => {
              recordUsed(conversationId, text);
              insert(text);
            }}
          >
            <span className="line-clamp-2 text-balance">{text}</span>
          </button>
        ))}
      </div>
      <Tooltip label={copy.others}>
        <button
          type="button"
          aria-label={copy.others}
          className={controlClass}
          onClick={() => {
            setDrawn(drawIdeas(conversationId, messages, shown));
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
