import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog } from '@/chat-ui/announcements/live-log';

export interface TypingLogProps {
  isTyping: boolean;
  name: string;
  /** Key of the newest message of the user who types. */
  after: string | undefined;
}

/** Announces that the partner is typing, once for each message, regardless of pauses. */
export const TypingLog = ({ isTyping, name, after }: TypingLogProps) => (
  <LiveLog
    label={copy.list.typing}
    entries={useLog(isTyping ? [{ key: after ?? 'first', text: copy.message.typing(name) }] : [])}
  />
);
