import { useState } from 'react';
import { isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog, type LogEntry } from '@/chat-ui/live-log';
import { inWords } from '@/chat-ui/message-content';
import { type MessageAuthor } from '@/chat-ui/message-row';

/** What is read aloud of one row; null for what the user has done or sees elsewhere. */
const spoken = (message: ChatMessage, partner: MessageAuthor): string | null => {
  if (message.card?.isSilent) return null;
  if (isNotice(message)) return message.content;
  if (message.senderId !== partner.id) return null;
  return copy.message.saysAloud(partner.username, inWords(message));
};

/** More at once are a history that was loaded, or a long absence: only the newest of them are read. */
const mostAtOnce = 5;

/** The newest rows that are read aloud, newest last. */
const newestOf = (messages: readonly ChatMessage[], partner: MessageAuthor): LogEntry[] => {
  const newest: LogEntry[] = [];
  for (let index = messages.length - 1; index >= 0 && newest.length < mostAtOnce; index -= 1) {
    const message = messages[index];
    const text = message ? spoken(message, partner) : null;
    if (message && text !== null) newest.unshift({ key: message.key, text });
  }
  return newest;
};

export interface AnnouncerProps {
  messages: readonly ChatMessage[];
  partner: MessageAuthor;
}

/** Reads new messages of the partner and notices aloud, every one of a burst; those already there stay silent. */
export const Announcer = ({ messages, partner }: AnnouncerProps) => {
  const newest = newestOf(messages, partner);
  const [heard, setHeard] = useState(newest);
  // A row may be taken away, such as a notice: what stood before it is no news.
  const last = newest.findLastIndex(({ key }) => heard.some((entry) => entry.key === key));
  if (newest.at(-1)?.key !== heard.at(-1)?.key) setHeard(newest);
  return <LiveLog label={copy.list.news} entries={useLog(newest.slice(last + 1))} />;
};
