import { type ChatMessage } from '@/chat-ui/chat-message';

/** Messages on their way stand last, in the order in which they were written. */

const firstOnItsWay = (messages: readonly ChatMessage[]): number => {
  let index = messages.length;
  while (index > 0 && messages[index - 1]?.delivery === 'sending') index -= 1;
  return index;
};

/** Puts a message that has its place in the stream before those on their way. */
export const insertSent = (
  messages: readonly ChatMessage[],
  message: ChatMessage,
): readonly ChatMessage[] => {
  const index = firstOnItsWay(messages);
  return [...messages.slice(0, index), message, ...messages.slice(index)];
};
