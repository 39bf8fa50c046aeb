import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { Suggestions } from '@/features/suggestions/components/suggestions';
import { useIsConnected } from '@/lib/socket/connection';

/** Conversation starters in a random chat, shown on request and after a period without messages. */
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

/** Conversation starters in a private chat, shown only on request. */
export const PrivateChatSuggestions = (place: IdeasProps) => (
  <Suggestions {...place} chat={{ friendId: Number(place.conversationId) }} />
);
