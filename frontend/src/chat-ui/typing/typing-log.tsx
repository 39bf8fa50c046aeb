import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog } from '@/chat-ui/announcements/live-log';

export interface TypingLogProps {
  isTyping: boolean;
  name: string;
  /** Key of the partner's newest message; undefined before their first one. */
  latestMessageKey: string | undefined;
}

/**
 * Announces that the partner is typing, once for each message, regardless of pauses: until the partner's next message,
 * the entry has the same key, so `useLog` does not announce it again.
 */
export const TypingLog = ({ isTyping, name, latestMessageKey }: TypingLogProps) => (
  <LiveLog
    label={copy.list.typing}
    entries={useLog(
      isTyping
        ? [{ key: latestMessageKey ?? 'before the first message', text: copy.message.typing(name) }]
        : [],
    )}
  />
);
