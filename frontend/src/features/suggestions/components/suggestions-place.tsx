import { useEffect } from 'react';
import { useChat } from '@/chat-ui/chat-context';
import { type IdeasRowProps } from '@/chat-ui/composer/ideas';
import { copy } from '@/features/suggestions/copy';
import { useSilence } from '@/features/suggestions/hooks/use-silence';
import { closeSuggestions, useSuggestions } from '@/features/suggestions/stores/suggestions.store';
import { pageLimits } from '@/lib/page-limits';
import { Button } from '@/ui/button';
import { createPart, LoadedPart } from '@/ui/loaded-part';

/** Contains the 120 starters. */
export const suggestionRowPart = createPart(
  async () => (await import('@/features/suggestions/components/suggestion-row')).SuggestionRow,
);

const NotLoaded = ({ onRetry }: { onRetry: () => void }) => (
  <p
    role="alert"
    className="absolute inset-x-0 bottom-full z-raised mb-1 flex items-center gap-2 bg-card text-sm text-muted-foreground"
  >
    {copy.notLoaded}
    <Button variant="ghost" onClick={onRetry}>
      {copy.retry}
    </Button>
  </p>
);

export interface SuggestionsPlaceProps extends IdeasRowProps {
  /** Absent where suggestions are shown on request alone. */
  automatic?: {
    /** Changes with everything that the users do in the chat. */
    activity: unknown;
    /** Connected, in an active chat, without a game, and no one is typing. */
    isQuiet: boolean;
  };
}

/** Shows suggestions above the empty composer, on request or after a silence. */
export const SuggestionsPlace = ({ isFree, insert, messages, automatic }: SuggestionsPlaceProps) => {
  const { conversationId } = useChat();
  const isRequested = useSuggestions(({ requestedIn }) => requestedIn === conversationId);
  const isHidden = useSuggestions(({ hiddenIn }) => hiddenIn === conversationId);
  const isSilent = useSilence(automatic?.activity, automatic ? pageLimits.suggestionsAfterMs : null);
  // Users who have begun to write have an idea of their own.
  useEffect(() => {
    if (!isFree) closeSuggestions(conversationId);
  }, [isFree, conversationId]);
  useEffect(() => () => closeSuggestions(conversationId), [conversationId]);

  const appears = automatic?.isQuiet === true && isSilent && !isHidden;
  if (!isFree || !(isRequested || appears)) return null;
  return (
    <LoadedPart
      part={suggestionRowPart}
      broken={({ retry }) => (isRequested ? <NotLoaded onRetry={retry} /> : null)}
    >
      {(SuggestionRow) => (
        <SuggestionRow conversationId={conversationId} messages={messages} insert={insert} />
      )}
    </LoadedPart>
  );
};
