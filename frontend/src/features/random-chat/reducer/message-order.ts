import { type ChatMessage } from '@/chat-ui/chat-message';

/**
 * Returns the index of the first message with a later `seq`, or the end of the list. Ignores messages without a `seq`,
 * such as the welcome.
 */
const findInsertIndex = (messages: readonly ChatMessage[], seq: number): number => {
  // Searched from the end: nearly every inserted message is the newest one.
  let insertIndex = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const messageSeq = messages[index]?.seq;
    if (messageSeq === undefined) continue;
    if (messageSeq <= seq) break;
    insertIndex = index;
  }
  return insertIndex;
};

/** Inserts a stored message by its `seq`, because acks, frames and resynced events may arrive in any order. */
export const insertBySeq = (
  messages: readonly ChatMessage[],
  message: ChatMessage & { seq: number },
): readonly ChatMessage[] => {
  const index = findInsertIndex(messages, message.seq);
  return [...messages.slice(0, index), message, ...messages.slice(index)];
};
