import { type NoticeKind } from '@/chat-ui/copy';
import { type OutboxMessages } from '@/chat-ui/outbox/outbox-messages';
import { type OutboxOptions } from '@/chat-ui/outbox/outbox.types';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface DeliveryOptions extends Pick<OutboxOptions, 'send' | 'handleAck' | 'onRefused' | 'upload'> {
  messages: OutboxMessages;
  /**
   * Moves a message back to its composer, or to the draft of its conversation if no composer is mounted.
   * @returns false if the message has to stay in the outbox
   */
  returnToComposer: (message: OutgoingMessage) => boolean;
  /** Shows a notice above the composer of a conversation, for at least `showAtLeastMs`. */
  notify: (conversationId: string, kind: NoticeKind, showAtLeastMs?: number) => void;
}

/** Uploads the pictures of outgoing messages, sends the messages, and records the outcome in their `state`. */
export const createDelivery = ({
  messages,
  send,
  handleAck,
  onRefused,
  upload,
  returnToComposer,
  notify,
}: DeliveryOptions) => {
  /** Client ids of the messages that are sent and not answered. A lost connection fails their requests. */
  const inFlight = new Set<string>();
  /** Incremented when the user changes, to recognise and ignore responses for an earlier user. */
  let userEpoch = 0;

  const handleSendFailure = (message: OutgoingMessage, error: SocketRequestError): void => {
    const { clientId, conversationId } = message;
    // The connection was lost: the message is sent again with the same clientId after the reconnect.
    if (error.failure === 'closed' || error.failure === 'not_connected') return;
    if (error.failure === 'timeout') return void messages.update(clientId, { state: 'unanswered' });
    if (error.code !== 'rate_limited') {
      messages.update(clientId, { state: 'refused' });
      return onRefused(message, error);
    }
    if (!returnToComposer(message)) messages.update(clientId, { state: 'refused' });
    notify(conversationId, 'too_fast', error.retryAfterMs);
  };

  const sendMessage = (message: OutgoingMessage): void => {
    const { clientId } = message;
    if (inFlight.has(clientId)) return;
    inFlight.add(clientId);
    const epochAtSend = userEpoch;
    send(message, (data) => {
      if (epochAtSend !== userEpoch) return;
      // A message whose ack cannot be parsed stays in the outbox and waits for Retry.
      const isParsed = handleAck(message, data);
      if (isParsed) messages.remove(clientId);
      else messages.update(clientId, { state: 'refused' });
    })
      .catch((error: unknown) => {
        // Any other error is a bug and must not be swallowed.
        if (!(error instanceof SocketRequestError)) throw error;
        if (epochAtSend === userEpoch && messages.find(clientId)) handleSendFailure(message, error);
      })
      .finally(() => inFlight.delete(clientId));
  };

  /** Uploads the picture of a message, then sends the message. */
  const uploadAndSend = ({ clientId, picture }: OutgoingMessage): void => {
    const { uploads } = messages;
    if (!picture?.file || uploads.has(clientId)) return;
    const controller = new AbortController();
    uploads.set(clientId, controller);
    /** Builds a change of the picture for `messages.update`; {} if the message has been removed. */
    const buildPictureChange = (change: Partial<NonNullable<OutgoingMessage['picture']>>) => {
      const current = messages.find(clientId);
      return current?.picture ? { picture: { ...current.picture, ...change } } : {};
    };
    const handleUploaded = (url: string): void => {
      if (controller.signal.aborted) return;
      const uploaded = messages.update(clientId, {
        state: 'sending',
        ...buildPictureChange({ url, percent: 100 }),
      });
      if (uploaded) sendMessage(uploaded);
    };
    const handleUploadFailure = (error: unknown): void => {
      const message = messages.find(clientId);
      if (controller.signal.aborted || !message) return;
      // No toast is shown (docs/product-decisions.md, A97).
      console.warn('The photo was not stored', error);
      if (!returnToComposer(message)) messages.update(clientId, { state: 'upload_failed' });
    };
    upload(picture.file, {
      signal: controller.signal,
      onProgress: (percent) => {
        if (messages.find(clientId)?.picture?.percent !== percent)
          messages.update(clientId, buildPictureChange({ percent }));
      },
    })
      .then(handleUploaded, handleUploadFailure)
      .finally(() => {
        // A retry may have started the next upload of the message.
        if (uploads.get(clientId) === controller) uploads.delete(clientId);
      });
  };

  return {
    deliver: (message: OutgoingMessage): void =>
      message.state === 'uploading' ? uploadAndSend(message) : sendMessage(message),
    /**
     * Called when the user changes: forgets the requests in flight, whose responses are then ignored.
     * `messages.switchUser` aborts the uploads.
     */
    reset: (): void => {
      userEpoch += 1;
      inFlight.clear();
    },
  };
};
