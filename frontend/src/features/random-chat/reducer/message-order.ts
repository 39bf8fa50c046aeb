import { type ChatMessage } from '@/chat-ui/chat-message';

/** Messages are ordered by their `seq`, whatever the order in which acks, frames and resynced events arrive. */
const indexFor = (messages: readonly ChatMessage[], seq: number): number => {
  let index = messages.length;
  for (let before = messages.length - 1; before >= 0; before -= 1) {
    const message = messages[before];
    // Notices have no `seq` and are skipped.
    if ((message?.seq ?? -1) > seq) index = before;
    else if (message?.seq !== undefined) break;
  }
  return index;
};

/** Inserts a stored message at the place of its `seq`. */
export const insertSent = (
  messages: readonly ChatMessage[],
  message: ChatMessage & { seq: number },
): readonly ChatMessage[] => {
  const index = indexFor(messages, message.seq);
  return [...messages.slice(0, index), message, ...messages.slice(index)];
};
