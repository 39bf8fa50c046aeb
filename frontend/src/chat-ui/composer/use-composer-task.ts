import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useChat } from '@/chat-ui/chat-context';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';

interface StartedTask {
  kind: 'reply' | 'edit';
  messageId: string;
}

/** The current task of the composer: a reply, an edit, or an unsaved edit that is reopened with its text. */
export const useComposerTask = (
  messages: readonly ChatMessage[],
  initialReplyToId: string | null,
  onReplyChange: (messageId: string | null) => void,
) => {
  const { me, partner, outbox, conversationId } = useChat();
  const [started, setStarted] = useState<StartedTask | null>(
    initialReplyToId === null ? null : { kind: 'reply', messageId: initialReplyToId },
  );
  const returnedEdits = outbox.useStore((state) => state.returnedEdits);
  // One edit at a time: a returned edit is opened when the current one is finished.
  const returned =
    started?.kind === 'edit'
      ? undefined
      : returnedEdits.find(
          (edit) =>
            edit.conversationId === conversationId &&
            messages.some(({ id, isDeleted }) => id === edit.messageId && !isDeleted),
        );
  const shownReturned = useRef(returned);
  useEffect(() => {
    shownReturned.current = returned;
  });

  const replyToId = started?.kind === 'reply' ? started.messageId : null;
  useEffect(() => onReplyChange(replyToId), [onReplyChange, replyToId]);

  // The current message: it may have been edited or deleted in the meantime.
  const subjectId = returned?.messageId ?? started?.messageId;
  const subject = messages.find(({ id }) => id === subjectId);
  const task = useMemo<ComposerTask | null>(() => {
    if (!subject || subject.isDeleted) return null;
    if (returned) return { kind: 'edit', message: subject, text: returned.text };
    if (started?.kind === 'edit') return { kind: 'edit', message: subject };
    const isMine = subject.senderId === me.id;
    return { kind: 'reply', message: subject, name: isMine ? me.username : partner.username, isMine };
  }, [started, returned, subject, me.id, me.username, partner.username]);

  /** Ends the current task and begins the next one, if any. */
  const begin = useCallback(
    (next: StartedTask | null): void => {
      if (shownReturned.current) outbox.editDone(shownReturned.current);
      // A reply that was open before a returned edit is resumed after it.
      if (next || !shownReturned.current) setStarted(next);
    },
    [outbox],
  );
  /** Resumes the reply of a returned message, unless another task has started. */
  const resumeReply = useCallback(
    (messageId: string): void => setStarted((current) => current ?? { kind: 'reply', messageId }),
    [],
  );
  return { task, begin, resumeReply };
};
