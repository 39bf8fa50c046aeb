import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useChat } from '@/chat-ui/chat-context';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { hideInsultsAndContacts, quoteInComposer } from '@/chat-ui/message-content';
import { type UnsavedEdit } from '@/chat-ui/outbox/outbox.types';

interface StartedTask {
  kind: 'reply' | 'edit';
  messageId: string;
}

/**
 * The current task of the composer: a reply, an edit, or an edit that could not be saved and is opened again.
 * @param initialReplyToId  the reply of the stored draft
 * @param onReplyChange  called with the message that the user replies to, to store it in the draft
 */
export const useComposerTask = (
  messages: readonly ChatMessage[],
  initialReplyToId: string | null,
  onReplyChange: (messageId: string | null) => void,
) => {
  const { me, partner, outbox, conversationId, isWithStranger } = useChat();
  const [started, setStarted] = useState<StartedTask | null>(
    initialReplyToId === null ? null : { kind: 'reply', messageId: initialReplyToId },
  );
  const unsavedEdits = outbox.useStore((state) => state.unsavedEdits);
  const canBeOpened = (edit: UnsavedEdit): boolean =>
    edit.conversationId === conversationId &&
    messages.some(({ id, isDeleted }) => id === edit.messageId && !isDeleted);
  // The user makes one edit at a time: an unsaved edit is opened when the current one is finished.
  const unsavedEdit = started?.kind === 'edit' ? undefined : unsavedEdits.find(canBeOpened);
  // A ref, so that `startTask` stays the same function when `unsavedEdit` changes.
  const latestUnsavedEdit = useRef(unsavedEdit);
  useEffect(() => {
    latestUnsavedEdit.current = unsavedEdit;
  });

  const replyToId = started?.kind === 'reply' ? started.messageId : null;
  useEffect(() => onReplyChange(replyToId), [onReplyChange, replyToId]);

  // Looked up at each render, because the message may have been edited or deleted in the meantime.
  const messageId = unsavedEdit?.messageId ?? started?.messageId;
  const message = messages.find(({ id }) => id === messageId);
  const task = useMemo<ComposerTask | null>(() => {
    if (!message || message.isDeleted) return null;
    if (unsavedEdit) return { kind: 'edit', message, text: unsavedEdit.text };
    // Without `text`, the composer starts with the text of the message.
    if (started?.kind === 'edit') return { kind: 'edit', message };
    const isMine = message.senderId === me.id;
    const quote = quoteInComposer(message);
    return {
      kind: 'reply',
      message,
      name: isMine ? me.username : partner.username,
      isMine,
      quote: isWithStranger && !isMine ? hideInsultsAndContacts(quote) : quote,
    };
  }, [started, unsavedEdit, message, me.id, me.username, partner.username, isWithStranger]);

  /** Ends the current task and starts `next`. If `next` is null, resumes the reply that an unsaved edit interrupted. */
  const startTask = useCallback(
    (next: StartedTask | null): void => {
      const endedEdit = latestUnsavedEdit.current;
      if (endedEdit) outbox.removeUnsavedEdit(endedEdit);
      // The interrupted reply is still in `started`.
      if (endedEdit && next === null) return;
      setStarted(next);
    },
    [outbox],
  );
  /** Resumes the reply of an unsent message that returns to the composer, unless another task has started. */
  const resumeReply = useCallback(
    (id: string): void => setStarted((current) => current ?? { kind: 'reply', messageId: id }),
    [],
  );
  return { task, startTask, resumeReply };
};
