import { type ReturnedMessage } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type Clock } from '@/lib/clock';
import { type SocketRequestError } from '@/lib/socket/socket-request-error';

/** The new text of an edit that could not be saved. The composer opens the edit again with this text. */
export interface UnsavedEdit {
  conversationId: string;
  messageId: string;
  text: string;
}

export interface OutboxState {
  /** In the order in which they were written. */
  messages: readonly OutgoingMessage[];
  /** Why a message was not sent or an edit not saved; shown for a limited time. */
  notice: { conversationId: string; kind: NoticeKind } | null;
  unsavedEdits: readonly UnsavedEdit[];
}

/** The mounted composer of a conversation. */
export interface ComposerTarget {
  /**
   * Puts an unsent message back into the composer.
   * @returns false when the composer cannot take it: a picture, while the composer is in use (A97).
   */
  takeBack: (returned: ReturnedMessage) => boolean;
}

export type UploadPicture = (
  file: File,
  options: { signal: AbortSignal; onProgress: (percent: number) => void },
) => Promise<string>;

export interface OutboxOptions {
  clock: Clock;
  newId: () => string;
  /** Session storage key under which a user's unsent messages survive a reload. */
  storageKey: (userId: number) => string;
  isConnected: () => boolean;
  /**
   * Sends one message with the content from `toWireContent`; rejects with a SocketRequestError. `onAck` is called
   * before the next frame is handled.
   */
  send: (message: OutgoingMessage, onAck: (data: Record<string, unknown>) => void) => Promise<unknown>;
  /** @returns false when the ack cannot be parsed. */
  onAck: (message: OutgoingMessage, data: Record<string, unknown>) => boolean;
  /** Called on a refusal other than a rate limit. The message waits for Retry unless the callback removes it. */
  onRefused: (message: OutgoingMessage, error: SocketRequestError) => void;
  upload: UploadPicture;
  /** Called when a message is returned while its conversation has no composer: it belongs in the draft. */
  onReturnedWithoutComposer: (
    conversationId: string,
    returned: Pick<ReturnedMessage, 'text' | 'replyTo'>,
  ) => void;
  /** Called when a reload lost the picture of a message before it was uploaded. */
  onPictureLost: (conversationId: string, returned: Pick<ReturnedMessage, 'text' | 'replyTo'>) => void;
}
