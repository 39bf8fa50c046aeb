import { parseImageMarkers } from '@thaw/contract/image-markers';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { findStatedAge } from '@thaw/contract/stated-age';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type RandomChatState } from '@/features/random-chat/reducer/random-chat.state';

const statesMinorAge = ({ senderId, type, content }: ChatMessage): boolean => {
  if (senderId === SYSTEM_SENDER_ID || type === 'image') return false;
  // `findStatedAge` finds only ages under 18.
  return findStatedAge(type === 'mixed' ? parseImageMarkers(content).text : content) !== undefined;
};

/**
 * Whether the chat has ended because one of the two users has stated that they are under 18. The server reports this
 * end as a lost connection, so the page checks the messages with the rule of the server, `findStatedAge`
 * (docs/decisions, 0062).
 */
export const isEndedForAge = ({
  endReason,
  session,
}: Pick<RandomChatState, 'endReason' | 'session'>): boolean =>
  endReason === 'disconnected' && (session?.messages.some(statesMinorAge) ?? false);
