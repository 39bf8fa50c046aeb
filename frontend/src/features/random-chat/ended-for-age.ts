import { parseImageMarkers } from '@thaw/contract/image-markers';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { findStatedAge } from '@thaw/contract/stated-age';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';

const statesAge = ({ senderId, type, content }: ChatMessage): boolean => {
  if (senderId === SYSTEM_SENDER_ID || type === 'image') return false;
  return findStatedAge(type === 'mixed' ? parseImageMarkers(content).text : content) !== undefined;
};

/**
 * Whether the chat has ended because one of the two has stated that they are under 18. The server reports a lost
 * connection to both, so the messages are read by the same rule as there.
 */
export const isEndedForAge = ({
  endReason,
  session,
}: Pick<RandomChatState, 'endReason' | 'session'>): boolean =>
  endReason === 'disconnected' && (session?.messages.some(statesAge) ?? false);
