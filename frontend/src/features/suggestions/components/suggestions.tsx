import { Lightbulb } from 'lucide-react';
import { useEffect } from 'react';
import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { SuggestionRow } from '@/features/suggestions/components/suggestion-row';
import { copy } from '@/features/suggestions/copy';
import { useSilence } from '@/features/suggestions/hooks/use-silence';
import {
  closeSuggestions,
  hideSuggestions,
  requestSuggestions,
  useSuggestions,
} from '@/features/suggestions/stores/suggestions.store';
import { pageLimits } from '@/lib/page-limits';

export interface SuggestionsProps extends IdeasProps {
  /** Absent where suggestions are shown on request alone. */
  automatic?: {
    /** Changes with everything that the users do in the chat. */
    activity: unknown;
    /** Connected, in an active chat, without a game, and no one is typing. */
    isQuiet: boolean;
  };
}

/** The button in the composer, and the suggestions above it, which appear on request or after a silence. */
export const Suggestions = ({
  isFree,
  insert,
  buttonClass,
  conversationId,
  messages,
  automatic,
}: SuggestionsProps) => {
  const isRequested = useSuggestions(({ requestedIn }) => requestedIn === conversationId);
  const isHidden = useSuggestions(({ hiddenIn }) => hiddenIn === conversationId);
  const isSilent = useSilence(automatic?.activity, automatic ? pageLimits.suggestionsAfterMs : null);
  // Users who have begun to write have an idea of their own.
  useEffect(() => {
    if (!isFree) closeSuggestions(conversationId);
  }, [isFree, conversationId]);
  useEffect(() => () => closeSuggestions(conversationId), [conversationId]);

  if (!isFree) return null;
  const appears = automatic?.isQuiet === true && isSilent && !isHidden;
  return (
    <>
      {isRequested || appears ? (
        <SuggestionRow
          conversationId={conversationId}
          messages={messages}
          insert={insert}
          // Without automatic suggestions there is nothing to remember.
          onHide={() => (automatic ? hideSuggestions : closeSuggestions)(conversationId)}
        />
      ) : null}
      <button
        type="button"
        aria-label={copy.suggest}
        className={buttonClass}
        onClick={() => requestSuggestions(conversationId)}
        // The row above finds the button by it, to return the focus.
        data-suggest
      >
        <Lightbulb aria-hidden="true" className="size-5" />
      </button>
    </>
  );
};
