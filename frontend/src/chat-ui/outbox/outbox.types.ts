import { type ReturnedMessage } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type Clock } from '@/lib/clock';
import { type SocketRequestError } from '@/lib/socket/socket-request-error';

/** An edit that could not be saved, with its new text. The composer opens the edit again with this text. */
export interface UnsavedEdit {
  conversationId: string;
  messageId: string;
  text: string;
}

export interface OutboxState {
  /** The unsent messages, in the order in which they were written. */
  messages: readonly OutgoingMessage[];
  /** Why a message was not sent or an edit not saved; shown for a limited time. */
  notice: { conversationId: string; kind: NoticeKind } | null;
  unsavedEdits: readonly UnsavedEdit[];
}

/** The mounted composer of a conversation. */
export interface ComposerTarget {
  /**
   * Puts an unsent message back into the composer.
   * @returns false if the message has a picture and the composer already has other content
   */
  takeBack: (returned: ReturnedMessage) => boolean;
}

/**
 * Uploads a picture; `onProgress` receives the progress in percent.
 * @returns the URL of the picture on the server
 */
export type UploadPicture = (
  file: File,
  options: { signal: AbortSignal; onProgress: (percent: number) => void },
) => Promise<string>;

export interface OutboxOptions {
  clock: Clock;
  /** Creates the client id of a message. */
  newId: () => string;
  /** Session storage key under which a user's unsent messages survive a reload. */
  getStorageKey: (userId: number) => string;
  isConnected: () => boolean;
  /**
   * Sends one message; `toWireContent(message)` is its content. Calls `onAck` before the next frame is handled, or
   * rejects with a `SocketRequestError`.
   */
  send: (message: OutgoingMessage, onAck: (data: Record<string, unknown>) => void) => Promise<unknown>;
  /**
   * Stores an acknowledged message in its conversation.
   * @returns false if the ack cannot be parsed
   */
  handleAck: (message: OutgoingMessage, data: Record<string, unknown>) => boolean;
  /** Called on a refusal other than a rate limit. The message waits for Retry unless the callback removes it. */
  onRefused: (message: OutgoingMessage, error: SocketRequestError) => void;
  upload: UploadPicture;
  /** Adds a returned message to the draft of its conversation, which has no mounted composer. */
  onReturnedWithoutComposer: (
    conversationId: string,
    returned: Pick<ReturnedMessage, 'text' | 'replyTo'>,
  ) => void;
  /**
   * Called for a message whose picture was lost before the upload ended, for example by a reload. Adds its text and
   * reply to the draft, and records there that a picture was attached.
   */
  onPictureLost: (conversationId: string, returned: Pick<ReturnedMessage, 'text' | 'replyTo'>) => void;
}
