import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog } from '@/chat-ui/announcements/live-log';

export interface TypingLogProps {
  isTyping: boolean;
  name: string;
  /** Key of the partner's newest message; undefined before their first one. */
  partnerMessageKey: string | undefined;
}

/**
 * Announces that the partner is typing. When they pause and continue, `useLog` does not announce it again, because the
 * entry has the same key until the partner's next message.
 */
export const TypingLog = ({ isTyping, name, partnerMessageKey }: TypingLogProps) => (
  <LiveLog
    label={copy.list.typing}
    entries={useLog(
      isTyping
        ? [{ key: partnerMessageKey ?? 'before the first message', text: copy.message.typing(name) }]
        : [],
    )}
  />
);
