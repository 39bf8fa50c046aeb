import { Lightbulb } from 'lucide-react';
import { useChat } from '@/chat-ui/chat-context';
import { toolClass } from '@/chat-ui/composer/composer-parts';
import { copy } from '@/features/suggestions/copy';
import { requestSuggestions } from '@/features/suggestions/stores/suggestions.store';

/** Marks the button, which takes the focus of a row that disappears. */
export const suggestButtonAttribute = 'data-suggest-button';

/** In the composer: shows suggestions at once. */
export const SuggestButton = () => {
  const { conversationId } = useChat();
  return (
    <button
      type="button"
      aria-label={copy.suggest}
      className={toolClass}
      onClick={() => requestSuggestions(conversationId)}
      {...{ [suggestButtonAttribute]: '' }}
    >
      <Lightbulb aria-hidden="true" className="size-5" />
    </button>
  );
};
