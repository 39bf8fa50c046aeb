import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { findOpenGame } from '@/features/random-chat/icebreaker/game-events';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { Suggestions } from '@/features/suggestions/components/suggestions';
import { useIsConnected } from '@/lib/socket/connection';

/** Suggestions of what to write in a random chat, shown on request and after a period without activity. */
export const RandomChatSuggestions = (props: IdeasProps) => {
  // Every event of the chat increments its `seq`, and so restarts the period without activity.
  const activity = useRandomChat(({ session }) => session?.seq);
  const isConnected = useIsConnected();
  const isChatQuiet = useRandomChat(
    ({ phase, session, isStartingGame }) =>
      phase === 'active' &&
      session?.partnerConnection === 'connected' &&
      !session.isPartnerTyping &&
      !isStartingGame &&
      findOpenGame(session) === undefined,
  );
  return (
    <Suggestions
      {...props}
      chat={{ sessionId: props.conversationId }}
      automatic={{ activity, isQuiet: isConnected && isChatQuiet }}
    />
  );
};

/** Suggestions of what to write in a private chat, shown only on request. */
export const PrivateChatSuggestions = (props: IdeasProps) => (
  <Suggestions {...props} chat={{ friendId: Number(props.conversationId) }} />
);
