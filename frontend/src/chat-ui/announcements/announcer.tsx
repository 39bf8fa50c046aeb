import { useState } from 'react';
import { isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog, type LogEntry } from '@/chat-ui/announcements/live-log';
import { describeMessage, hideParts } from '@/chat-ui/message-content';
import { type MessageAuthor } from '@/chat-ui/message/message-row';

export interface AnnouncerProps {
  messages: readonly ChatMessage[];
  partner: MessageAuthor;
  /** The partner is a stranger. */
  hidesContacts: boolean;
}

/** Text announced for a row; null for the user's own messages and for rows announced elsewhere. */
const getAnnouncement = (
  message: ChatMessage,
  { partner, hidesContacts }: Omit<AnnouncerProps, 'messages'>,
): string | null => {
  if (message.card?.isSilent) return null;
  if (isNotice(message)) return message.content;
  if (message.senderId !== partner.id) return null;
  const text = describeMessage(message);
  return copy.message.saysAloud(partner.username, hidesContacts ? hideParts(text) : text);
};

/** A larger batch comes from loaded history or a long absence. Then only the newest rows are announced. */
const maxAnnouncements = 5;

/** The newest rows to announce, newest last. */
const listNewestAnnouncements = ({ messages, ...options }: AnnouncerProps): LogEntry[] => {
  const newest: LogEntry[] = [];
  for (let index = messages.length - 1; index >= 0 && newest.length < maxAnnouncements; index -= 1) {
    const message = messages[index];
    const text = message ? getAnnouncement(message, options) : null;
    if (message && text !== null) newest.unshift({ key: message.key, text });
  }
  return newest;
};

/**
 * Announces notices and new messages of the partner to screen readers: each message of a burst, not only the last. Rows
 * present on mount are not announced.
 */
export const Announcer = (props: AnnouncerProps) => {
  const newest = listNewestAnnouncements(props);
  const [announced, setAnnounced] = useState(newest);
  // A row such as a notice may be removed: the rows before it are not new.
  const lastAnnounced = newest.findLastIndex(({ key }) => announced.some((entry) => entry.key === key));
  if (newest.at(-1)?.key !== announced.at(-1)?.key) setAnnounced(newest);
  return <LiveLog label={copy.list.news} entries={useLog(newest.slice(lastAnnounced + 1))} />;
};
