import { useState } from 'react';
import { isNotice, type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { inWords } from '@/chat-ui/message-content';
import { type MessageAuthor } from '@/chat-ui/message-row';

/**
 * Reads the newest message of the partner aloud: the virtual list itself must not be a live region, for its recycled
 * rows would be read again. The words are generated content, so that they stand in the page only once.
 */
export const Announcer = ({
  newest,
  partner,
}: {
  newest: ChatMessage | undefined;
  partner: MessageAuthor;
}) => {
  const [first] = useState(newest?.key);
  const says =
    newest === undefined || newest.key === first
      ? null
      : isNotice(newest)
        ? newest.content
        : newest.senderId === partner.id
          ? copy.message.saysAloud(partner.username, inWords(newest))
          : null;
  return (
    <p aria-live="polite" className="sr-only">
      {says === null ? null : (
        <span key={newest?.key} data-says={says} className="before:content-[attr(data-says)]" />
      )}
    </p>
  );
};
