import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { Suggestions } from '@/features/suggestions/components/suggestions';
import { useIsConnected } from '@/lib/socket/connection';

/** Suggestions of the random chat: on request, and after a silence. */
export const RandomChatSuggestions = (place: IdeasProps) => {
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
  return (
    <Suggestions
      {...place}
      chat={{ sessionId: place.conversationId }}
      automatic={{ activity, isQuiet: isConnected && isUndisturbed }}
    />
  );
};

/** Suggestions of a private chat: on request alone. */
export const PrivateChatSuggestions = (place: IdeasProps) => (
  <Suggestions {...place} chat={{ friendId: Number(place.conversationId) }} />
);
