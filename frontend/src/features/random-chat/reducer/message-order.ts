import { type ChatMessage } from '@/chat-ui/chat-message';

/** Messages stand by their place in the stream, in whatever order acks, frames and the answer to a resync arrive. */
const indexFor = (messages: readonly ChatMessage[], seq: number): number => {
  let index = messages.length;
  for (let before = messages.length - 1; before >= 0; before -= 1) {
    const message = messages[before];
    // Notices have no place in the stream and decide nothing.
    if ((message?.seq ?? -1) > seq) index = before;
    else if (message?.seq !== undefined) break;
  }
  return index;
};

/** Puts a message that has its place in the stream there. */
export const insertSent = (
  messages: readonly ChatMessage[],
  message: ChatMessage & { seq: number },
): readonly ChatMessage[] => {
  const index = indexFor(messages, message.seq);
  return [...messages.slice(0, index), message, ...messages.slice(index)];
};
