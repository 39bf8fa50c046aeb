import { copy } from '@/chat-ui/copy';
import { LiveLog, useLog } from '@/chat-ui/live-log';

export interface TypingLogProps {
  isTyping: boolean;
  name: string;
  /** The newest message of the one who types. */
  after: string | undefined;
}

/** Reads aloud that someone is typing: once for each message, however often they pause. */
export const TypingLog = ({ isTyping, name, after }: TypingLogProps) => (
  <LiveLog
    label={copy.list.typing}
    entries={useLog(isTyping ? [{ key: after ?? 'first', text: copy.message.typing(name) }] : [])}
  />
);
