import { type ComposerIdeas, type IdeasRowProps } from '@/chat-ui/composer/ideas';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { SuggestButton } from '@/features/suggestions/components/suggest-button';
import { SuggestionsPlace } from '@/features/suggestions/components/suggestions-place';
import { useIsConnected } from '@/lib/socket/connection';

const RandomChatSuggestions = (place: IdeasRowProps) => {
  const activity = useRandomChat(({ session }) => session?.seq);
  const isConnected = useIsConnected();
  const isUndisturbed = useRandomChat(
    ({ phase, session, isStartingGame }) =>
      phase === 'active' &&
      session?.partnerConnection === 'connected' &&
      !session.isPartnerTyping &&
      !isStartingGame &&
      findOpenGame(session) === undefined,
  );
  return <SuggestionsPlace {...place} automatic={{ activity, isQuiet: isConnected && isUndisturbed }} />;
};

/** Suggestions of the random chat: on request, and after a silence. */
export const randomChatIdeas: ComposerIdeas = {
  button: <SuggestButton />,
  renderRow: (place) => <RandomChatSuggestions {...place} />,
};

/** Suggestions of a private chat: on request alone. */
export const privateChatIdeas: ComposerIdeas = {
  button: <SuggestButton />,
  renderRow: (place) => <SuggestionsPlace {...place} />,
};
