import { Lightbulb } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { type SuggestedChat } from '@/features/suggestions/api/model-suggestions';
import { ModelQuestion } from '@/features/suggestions/components/model-question';
import { SuggestionRow } from '@/features/suggestions/components/suggestion-row';
import { copy } from '@/features/suggestions/copy';
import {
  chooseSource,
  loadModel,
  type ModelChoice,
  useModel,
} from '@/features/suggestions/stores/model.store';
import { useSilence } from '@/features/suggestions/hooks/use-silence';
import {
  closeSuggestions,
  hideSuggestions,
  requestSuggestions,
  useSuggestions,
} from '@/features/suggestions/stores/suggestions.store';
import { pageLimits } from '@/lib/page-limits';
import { useIdentity } from '@/product/identity';

export interface SuggestionsProps extends IdeasProps {
  chat: SuggestedChat;
  /** Absent where suggestions are shown on request alone. */
  automatic?: {
    /** Changes with everything that the users do in the chat. */
    activity: unknown;
    /** Connected, in an active chat, without a game, and no one is typing. */
    isQuiet: boolean;
  };
}

/** The server's language model and what the user has chosen about it. */
const useModelChoice = () => {
  const userId = useIdentity(({ user }) => user?.id ?? null);
  const host = useModel((state) => state.host);
  const choice = useModel(({ choices }) => (userId === null ? undefined : choices[userId]));
  useEffect(() => {
    if (userId !== null) void loadModel(userId);
  }, [userId]);
  return {
    host,
    isUndecided: host !== null && userId !== null && choice === undefined,
    askerId: host !== null && choice === 'model' ? userId : null,
    choose: (chosen: ModelChoice): void => {
      if (userId !== null) chooseSource(userId, chosen);
    },
  };
};

/** The button in the composer, and the suggestions above it, which appear on request or after a silence. */
export const Suggestions = ({
  isFree,
  insert,
  buttonClass,
  conversationId,
  messages,
  chat,
  automatic,
}: SuggestionsProps) => {
  const { host, isUndecided, askerId, choose } = useModelChoice();
  const [isAsking, setAsking] = useState(false);
  const isRequested = useSuggestions(({ requestedIn }) => requestedIn === conversationId);
  const isHidden = useSuggestions(({ hiddenIn }) => hiddenIn === conversationId);
  const isSilent = useSilence(automatic?.activity, automatic ? pageLimits.suggestionsAfterMs : null);
  // Users who have begun to write have an idea of their own.
  useEffect(() => {
    if (!isFree) closeSuggestions(conversationId);
  }, [isFree, conversationId]);
  useEffect(() => () => closeSuggestions(conversationId), [conversationId]);

  const answer = (chosen: ModelChoice): void => {
    choose(chosen);
    setAsking(false);
    requestSuggestions(conversationId);
  };

  if (!isFree) return null;
  const appears = automatic?.isQuiet === true && isSilent && !isHidden;
  return (
    <>
      {isRequested || appears ? (
        <SuggestionRow
          conversationId={conversationId}
          messages={messages}
          chat={chat}
          askerId={askerId}
          host={host}
          onChangeSource={() => setAsking(true)}
          insert={insert}
          // Without automatic suggestions there is nothing to remember.
          onHide={() => (automatic ? hideSuggestions : closeSuggestions)(conversationId)}
        />
      ) : null}
      <button
        type="button"
        aria-label={copy.suggest}
        className={buttonClass}
        onClick={() => {
          if (isUndecided) setAsking(true);
          else requestSuggestions(conversationId);
        }}
        // The row above finds the button by it, to return the focus.
        data-suggest
      >
        <Lightbulb aria-hidden="true" className="size-5" />
      </button>
      {isAsking && host !== null ? (
        <ModelQuestion
          host={host}
          onChoose={answer}
          // Closing it for the first time means no; later it changes nothing.
          onDismiss={() => {
            if (isUndecided) answer('page');
            else setAsking(false);
          }}
        />
      ) : null}
    </>
  );
};
