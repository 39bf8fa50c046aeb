import { useState } from 'react';
import { isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { LiveLog, maxLogEntries, useLog, type LogEntry } from '@/chat-ui/announcements/live-log';
import { describeMessage, hideInsultsAndContacts } from '@/chat-ui/message-content';
import { type MessageAuthor } from '@/chat-ui/message/message-row';

export interface AnnouncerProps {
  messages: readonly ChatMessage[];
  partner: MessageAuthor;
  /** Whether the partner is a stranger, whose insults and contact details are not announced. */
  isWithStranger: boolean;
}

/**
 * The text to announce for a row of the list: a message, a notice or a card. Null for the user's own messages and for
 * cards that their feature announces.
 */
const getAnnouncement = (
  message: ChatMessage,
  { partner, isWithStranger }: Omit<AnnouncerProps, 'messages'>,
): string | null => {
  if (message.card?.isSilent) return null;
  if (isNotice(message)) return message.content;
  if (message.senderId !== partner.id) return null;
  const text = describeMessage(message);
  return copy.message.announcement(partner.username, isWithStranger ? hideInsultsAndContacts(text) : text);
};

/**
 * Lists the newest rows that can be announced, newest last, and no more than the log keeps. If more are new at once,
 * after a long absence or when history is loaded, the newest ones are enough.
 */
const listNewestAnnouncements = ({ messages, ...options }: AnnouncerProps): LogEntry[] => {
  const newest: LogEntry[] = [];
  for (let index = messages.length - 1; index >= 0 && newest.length < maxLogEntries; index -= 1) {
    const message = messages[index];
    const text = message ? getAnnouncement(message, options) : null;
    if (message && text !== null) newest.unshift({ key: message.key, text });
  }
  return newest;
};

/**
 * Announces notices and new messages of the partner to screen readers: each message of a burst, not only the last. Rows
 * that are present on mount are not announced.
 */
export const Announcer = (props: AnnouncerProps) => {
  const newest = listNewestAnnouncements(props);
  const [known, setKnown] = useState(newest);
  // When a notice is removed, `newest` also contains an older row. Only rows after the last known one are new.
  const lastKnownIndex = newest.findLastIndex(({ key }) => known.some((entry) => entry.key === key));
  if (newest.at(-1)?.key !== known.at(-1)?.key) setKnown(newest);
  // After `setKnown`, React renders again at once, without new entries. `useLog` keeps those of this render.
  return <LiveLog label={copy.list.newMessages} entries={useLog(newest.slice(lastKnownIndex + 1))} />;
};
