import { Lightbulb } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { type ChatForSuggestions } from '@/features/suggestions/api/model-suggestions';
import { ModelQuestion } from '@/features/suggestions/components/model-question';
import { SuggestionRow } from '@/features/suggestions/components/suggestion-row';
import { copy } from '@/features/suggestions/copy';
import { useModelChoice } from '@/features/suggestions/hooks/use-model-choice';
import { useSilence } from '@/features/suggestions/hooks/use-silence';
import { type ModelChoice } from '@/features/suggestions/stores/model.store';
import {
  closeSuggestions,
  hideSuggestions,
  requestSuggestions,
  useSuggestions,
} from '@/features/suggestions/stores/suggestions.store';
import { pageLimits } from '@/lib/page-limits';

export interface SuggestionsProps extends IdeasProps {
  chat: ChatForSuggestions;
  /** Absent where suggestions are shown only on request. */
  automatic?: {
    /** A value that changes with everything that the users do in the chat. */
    activity: unknown;
    /** The page is connected and shows an active chat without a game, and the partner is not typing. */
    isQuiet: boolean;
  };
}

/** A button in the composer. Suggestions appear above the composer when it is pressed, or after a silence. */
export const Suggestions = ({
  hasRoomForIdeas,
  insert,
  buttonClass,
  conversationId,
  messages,
  chat,
  automatic,
}: SuggestionsProps) => {
  const { host, isUndecided, consentingUserId, choose } = useModelChoice();
  const [isQuestionOpen, setQuestionOpen] = useState(false);
  const isRequested = useSuggestions(({ requestedIn }) => requestedIn === conversationId);
  const isHidden = useSuggestions(({ hiddenIn }) => hiddenIn === conversationId);
  const isSilent = useSilence(automatic?.activity, automatic ? pageLimits.suggestionsAfterMs : null);
  // Requested suggestions close when the composer has no room for them, for example because the user types.
  useEffect(() => {
    if (!hasRoomForIdeas) closeSuggestions(conversationId);
  }, [hasRoomForIdeas, conversationId]);
  useEffect(() => () => closeSuggestions(conversationId), [conversationId]);

  const answer = (chosen: ModelChoice): void => {
    choose(chosen);
    setQuestionOpen(false);
    requestSuggestions(conversationId);
  };
  const pressSuggest = (): void => {
    if (isUndecided) setQuestionOpen(true);
    else requestSuggestions(conversationId);
  };
  const dismissQuestion = (): void => {
    // Without an earlier choice, dismissing the question declines the model: the suggestions come from this page only.
    // An earlier choice does not change.
    if (isUndecided) answer('page');
    else setQuestionOpen(false);
  };
  const hide = (): void => {
    // Both close suggestions that were requested. Where suggestions also appear automatically, they must not reappear.
    if (automatic) hideSuggestions(conversationId);
    else closeSuggestions(conversationId);
  };

  if (!hasRoomForIdeas) return null;
  const appearsAutomatically = automatic?.isQuiet === true && isSilent && !isHidden;
  return (
    <>
      {isRequested || appearsAutomatically ? (
        <SuggestionRow
          conversationId={conversationId}
          messages={messages}
          chat={chat}
          consentingUserId={consentingUserId}
          host={host}
          onChangeSource={() => setQuestionOpen(true)}
          insert={insert}
          onHide={hide}
        />
      ) : null}
      <button
        type="button"
        aria-label={copy.suggest}
        className={buttonClass}
        onClick={pressSuggest}
        // SuggestionRow finds the button by this attribute, to return the focus to it.
        data-suggest
      >
        <Lightbulb aria-hidden="true" className="size-5" />
      </button>
      {isQuestionOpen && host !== null ? (
        <ModelQuestion host={host} onChoose={answer} onDismiss={dismissQuestion} />
      ) : null}
    </>
  );
};
