import { limits } from '@thaw/contract/limits';
import { type Outgoing, type ReturnedMessage } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { parseContent } from '@/chat-ui/message-content';
import { createDelivery } from '@/chat-ui/outbox/outbox-delivery';
import { createOutboxMessages } from '@/chat-ui/outbox/outbox-messages';
import { type ComposerTarget, type OutboxOptions, type UnsavedEdit } from '@/chat-ui/outbox/outbox.types';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { pageLimits } from '@/lib/page-limits';

const toReturnedMessage = ({ type, content, replyTo, picture }: OutgoingMessage): ReturnedMessage => {
  if (picture) {
    const { previewUrl, file, url } = picture;
    return { text: content, replyTo, attachment: { previewUrl, file, url } };
  }
  // After a reload, `content` contains the URL of a picture that was uploaded before.
  const { text, imageUrls } = parseContent({ type, content });
  const [url] = imageUrls;
  return { text, replyTo, attachment: url ? { previewUrl: url, file: null, url } : null };
};

const chooseType = ({ text, attachment }: Outgoing): OutgoingMessage['type'] => {
  if (!attachment) return 'text';
  return text === '' ? 'image' : 'mixed';
};

/**
 * Holds the outgoing messages of one kind of chat, random or private, until the server acknowledges them. A message
 * that the rate limit refuses, or whose picture cannot be uploaded, goes back to the composer
 * (docs/product-decisions.md, A90 and A97).
 */
export const createOutbox = (options: OutboxOptions) => {
  const { clock, onReturnedWithoutComposer } = options;
  const messages = createOutboxMessages(options);
  const { useStore } = messages;
  /** The mounted composers, by conversation id. */
  const composers = new Map<string, ComposerTarget>();
  /** When a typing notification was last sent, in ms since the epoch, by conversation id. */
  const lastTypingAt = new Map<string, number>();
  let noticeTimer: number | undefined;

  /** Shows a notice in a conversation for the time of a toast, and for at least `showAtLeastMs`. */
  const notify = (conversationId: string, kind: NoticeKind, showAtLeastMs = 0): void => {
    useStore.setState({ notice: { conversationId, kind } });
    clock.clearTimeout(noticeTimer);
    noticeTimer = clock.setTimeout(
      () => useStore.setState({ notice: null }),
      Math.max(showAtLeastMs, pageLimits.toastMs),
    );
  };

  /** @returns false if neither the composer nor, without a mounted one, the draft can take the message */
  const giveToComposerOrDraft = (message: OutgoingMessage): boolean => {
    const { conversationId } = message;
    const returned = toReturnedMessage(message);
    const composer = composers.get(conversationId);
    // A composer that has other content takes back no message with a picture.
    if (composer) return composer.takeBack(returned);
    // Drafts hold no pictures.
    if (returned.attachment) return false;
    onReturnedWithoutComposer(conversationId, { text: returned.text, replyTo: returned.replyTo });
    return true;
  };

  /**
   * Moves a message back to its composer, or to the draft of its conversation if no composer is mounted.
   * @returns false if the message has to stay in the outbox
   */
  const returnToComposer = (message: OutgoingMessage): boolean => {
    if (!giveToComposerOrDraft(message)) return false;
    // The composer owns the picture now.
    messages.removeWhere(({ clientId }) => clientId === message.clientId, { keepsPictures: true });
    return true;
  };

  const delivery = createDelivery({ ...options, messages, returnToComposer, notify });

  return {
    useStore,
    /** Erases the outbox of the previous user, and restores the messages of the next user from before a reload. */
    switchUser: (userId: number | undefined): void => {
      delivery.reset();
      lastTypingAt.clear();
      clock.clearTimeout(noticeTimer);
      messages.switchUser(userId);
    },

    /** @returns false while not connected; then the message is not queued */
    submit: (conversationId: string, outgoing: Outgoing): boolean => {
      if (!options.isConnected()) {
        console.warn('Not connected: the message was not sent');
        return false;
      }
      const { text, attachment, replyTo } = outgoing;
      // A returned picture may have been uploaded already.
      const needsUpload = attachment !== null && attachment.url === null;
      const message: OutgoingMessage = {
        clientId: options.newId(),
        conversationId,
        content: text,
        type: chooseType(outgoing),
        replyTo,
        at: clock.now(),
        state: needsUpload ? 'uploading' : 'sending',
        ...(attachment ? { picture: { ...attachment, percent: needsUpload ? 0 : 100 } } : {}),
      };
      messages.replaceAll([...messages.list(), message]);
      delivery.deliver(message);
      return true;
    },

    /**
     * Sends a failed message again. Does nothing if the message is being sent or has been removed.
     * @returns false while not connected
     */
    retry: (clientId: string): boolean => {
      if (!options.isConnected()) return false;
      const message = messages.find(clientId);
      if (!message || message.state === 'sending' || message.state === 'uploading') return true;
      const updated = messages.update(clientId, {
        state: message.state === 'upload_failed' ? 'uploading' : 'sending',
      });
      if (updated) delivery.deliver(updated);
      return true;
    },

    /** Deletes a message that was not delivered, or cancels an upload, whose caption returns to the composer. */
    discard: (clientId: string): void => {
      const message = messages.find(clientId);
      if (!message) return;
      messages.remove(clientId);
      if (message.state !== 'uploading' || message.content === '') return;
      // While a picture is being uploaded, the content is only its caption.
      const { conversationId, content, replyTo } = message;
      const caption = { text: content, replyTo, attachment: null };
      if (!composers.get(conversationId)?.takeBack(caption))
        onReturnedWithoutComposer(conversationId, caption);
    },

    /** Called with the client id of a message whose ack is missing, when another frame shows that it is stored. */
    markStored: messages.remove,

    /**
     * Called on connect: sends in order the messages that were in flight before a disconnect or a reload.
     * @param conversationId  the only conversation whose messages are sent; if absent, those of all are sent
     */
    resendUnacknowledged: (conversationId?: string): void => {
      for (const message of messages.list()) {
        const isIncluded = conversationId === undefined || message.conversationId === conversationId;
        if (!isIncluded) continue;
        if (message.state === 'sending') delivery.deliver(message);
        else if (message.state === 'unanswered') {
          const updated = messages.update(message.clientId, { state: 'sending' });
          if (updated) delivery.deliver(updated);
        }
      }
    },

    /** Called when the client stops reconnecting: messages in flight are `unanswered` until the next connection. */
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

    /** Removes the messages, unsaved edits and notices of all other conversations, because they have ended. */
    keepOnlyConversations: (isKept: (conversationId: string) => boolean): void => {
      messages.removeWhere(({ conversationId }) => !isKept(conversationId));
      useStore.setState(({ unsavedEdits, notice }) => ({
        unsavedEdits: unsavedEdits.filter(({ conversationId }) => isKept(conversationId)),
        notice: notice && isKept(notice.conversationId) ? notice : null,
      }));
    },

    /**
     * Registers the composer of a conversation when it is mounted.
     * @returns a function that unregisters the composer
     */
    registerComposer: (conversationId: string, composer: ComposerTarget): (() => void) => {
      composers.set(conversationId, composer);
      return () => {
        // The next composer of the conversation may already be mounted.
        if (composers.get(conversationId) === composer) composers.delete(conversationId);
      };
    },

    notify,

    /** Called when an edit could not be saved: keeps its text for another attempt. */
    keepUnsavedEdit: (edit: UnsavedEdit): void =>
      useStore.setState(({ unsavedEdits }) => ({ unsavedEdits: [...unsavedEdits, edit] })),
    /** Called when the edit was saved or cancelled. */
    removeUnsavedEdit: (edit: UnsavedEdit): void =>
      useStore.setState(({ unsavedEdits }) => ({
        unsavedEdits: unsavedEdits.filter((other) => other !== edit),
      })),

    /**
     * Whether a typing notification may be sent now: at most one in two seconds for each conversation. A permit counts
     * as a sent notification, so the caller must send one.
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
