import { limits } from '@thaw/contract/limits';
import { type Outgoing, type ReturnedMessage } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { createDelivery } from '@/chat-ui/outbox/outbox-delivery';
import { createOutboxMessages } from '@/chat-ui/outbox/outbox-messages';
import { type ComposerTarget, type OutboxOptions, type UnsavedEdit } from '@/chat-ui/outbox/outbox.types';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { pageLimits } from '@/lib/page-limits';

const toReturnedMessage = ({ content, replyTo, picture }: OutgoingMessage): ReturnedMessage => ({
  text: content,
  replyTo,
  attachment: picture ? { previewUrl: picture.previewUrl, file: picture.file, url: picture.url } : null,
});

/** Messages between the composer and the server's acknowledgement, for both kinds of chat (A90, A97, A114). */
export const createOutbox = (options: OutboxOptions) => {
  const { clock, onReturnedWithoutComposer } = options;
  const messages = createOutboxMessages(options);
  const { useStore } = messages;
  /** By conversation id. */
  const composers = new Map<string, ComposerTarget>();
  /** When a typing notification was last sent, by conversation id. */
  const lastTypingAt = new Map<string, number>();
  let noticeTimer: number | undefined;

  const notify = (conversationId: string, kind: NoticeKind, minimumMs = 0): void => {
    useStore.setState({ notice: { conversationId, kind } });
    clock.clearTimeout(noticeTimer);
    noticeTimer = clock.setTimeout(
      () => useStore.setState({ notice: null }),
      Math.max(minimumMs, pageLimits.toastMs),
    );
  };

  /**
   * Returns a message to its composer or draft.
   * @returns false when it has to stay in the list.
   */
  const returnToComposer = (message: OutgoingMessage): boolean => {
    const { conversationId, clientId, replyTo, picture } = message;
    const composer = composers.get(conversationId);
    if (!composer && picture) return false;
    if (!composer) onReturnedWithoutComposer(conversationId, { text: message.content, replyTo });
    else if (!composer.takeBack(toReturnedMessage(message))) return false;
    messages.removeWhere((other) => other.clientId === clientId, { keepsPictures: true });
    return true;
  };

  const delivery = createDelivery({ ...options, messages, returnToComposer, notify });

  return {
    useStore,
    /** Opens the outbox of a user, with the messages kept over a reload, and erases that of the previous user. */
    switchUser: (userId: number | undefined): void => {
      delivery.reset();
      lastTypingAt.clear();
      clock.clearTimeout(noticeTimer);
      messages.switchUser(userId);
    },

    /** @returns false while not connected: nothing is queued then (A114). */
    submit: (conversationId: string, { text, attachment, replyTo }: Outgoing): boolean => {
      if (!options.isConnected()) {
        console.warn('Not connected: the message was not sent');
        return false;
      }
      // A returned picture may have been uploaded already.
      const needsUpload = attachment !== null && attachment.url === null;
      const message: OutgoingMessage = {
        clientId: options.newId(),
        conversationId,
        content: text,
        type: !attachment ? 'text' : text === '' ? 'image' : 'mixed',
        replyTo,
        at: clock.now(),
        state: needsUpload ? 'uploading' : 'sending',
        ...(attachment ? { picture: { ...attachment, percent: needsUpload ? 0 : 100 } } : {}),
      };
      messages.replaceAll([...messages.list(), message]);
      delivery.deliver(message);
      return true;
    },

    /** @returns false while not connected. */
    retry: (clientId: string): boolean => {
      if (!options.isConnected()) return false;
      const message = messages.find(clientId);
      if (!message || message.state === 'sending' || message.state === 'uploading') return true;
      const retried = messages.update(clientId, {
        state: message.state === 'upload_failed' ? 'uploading' : 'sending',
      });
      if (retried) delivery.deliver(retried);
      return true;
    },

    /** Deletes a message that was not delivered, or cancels an upload, whose caption returns to the composer. */
    discard: (clientId: string): void => {
      const message = messages.find(clientId);
      if (!message) return;
      const { conversationId, content: text, replyTo } = message;
      messages.remove(clientId);
      if (message.state !== 'uploading' || text === '') return;
      const returned = { text, replyTo, attachment: null };
      if (!composers.get(conversationId)?.takeBack(returned))
        onReturnedWithoutComposer(conversationId, returned);
    },

    /** Called when a frame other than the ack shows that a message is stored. */
    markStored: messages.remove,

    /**
     * Called on connect: sends the messages that were interrupted, unanswered or kept over a reload, in order.
     * @param conversationId  restricts this to one conversation.
     */
    resendAll: (conversationId?: string): void => {
      const isMeant = (message: OutgoingMessage): boolean =>
        (conversationId === undefined || message.conversationId === conversationId) &&
        (message.state === 'sending' || message.state === 'unanswered');
      for (const { clientId, state } of messages.list().filter(isMeant)) {
        const message =
          state === 'sending' ? messages.find(clientId) : messages.update(clientId, { state: 'sending' });
        if (message) delivery.deliver(message);
      }
    },

    /** Called when the client stops reconnecting: the messages in flight count as unanswered. */
    handleConnectionGivenUp: (): void => {
      if (!messages.list().some(({ state }) => state === 'sending')) return;
      messages.replaceAll(
        messages
          .list()
          .map((message) =>
            message.state === 'sending' ? { ...message, state: 'unanswered' as const } : message,
          ),
      );
    },

    /** Removes the messages, unsaved edits and notices of conversations that have ended. */
    keepOnlyConversations: (isKept: (conversationId: string) => boolean): void => {
      messages.removeWhere(({ conversationId }) => !isKept(conversationId));
      useStore.setState(({ unsavedEdits, notice }) => ({
        unsavedEdits: unsavedEdits.filter(({ conversationId }) => isKept(conversationId)),
        notice: notice && isKept(notice.conversationId) ? notice : null,
      }));
    },

    /**
     * Registers the composer of a conversation when it is mounted.
     * @returns a function that unregisters it.
     */
    registerComposer: (conversationId: string, composer: ComposerTarget): (() => void) => {
      composers.set(conversationId, composer);
      return () => {
        if (composers.get(conversationId) === composer) composers.delete(conversationId);
      };
    },

    notify,

    /** An edit could not be saved: keeps its text for another attempt. */
    keepUnsavedEdit: (edit: UnsavedEdit): void =>
      useStore.setState(({ unsavedEdits }) => ({ unsavedEdits: [...unsavedEdits, edit] })),
    /** The edit was saved or cancelled. */
    removeUnsavedEdit: (edit: UnsavedEdit): void =>
      useStore.setState(({ unsavedEdits }) => ({
        unsavedEdits: unsavedEdits.filter((other) => other !== edit),
      })),

    /**
     * Whether a typing notification may be sent now: at most one in two seconds for each conversation (B02). The caller
     * must send it, because it counts as sent.
     */
    tryAcquireTypingPermit: (conversationId: string): boolean => {
      const now = clock.now();
      const msSinceLast = now - (lastTypingAt.get(conversationId) ?? -Infinity);
      if (!options.isConnected() || msSinceLast < limits.typingIntervalMs) return false;
      lastTypingAt.set(conversationId, now);
      return true;
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
