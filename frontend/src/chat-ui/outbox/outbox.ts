import { limits } from '@thaw/contract/limits';
import { create } from 'zustand';
import { discardAttachment } from '@/chat-ui/composer/attachment';
import { type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { readOutgoing, writeOutgoing, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** An edit that could not be saved, kept with its text to be reopened. */
export interface ReturnedEdit {
  conversationId: string;
  messageId: string;
  text: string;
}

export interface OutboxState {
  /** In the order in which they were written. */
  messages: readonly OutgoingMessage[];
  /** Why a message was not sent or an edit not saved; shown for a limited time. */
  notice: { conversationId: string; kind: NoticeKind } | null;
  returnedEdits: readonly ReturnedEdit[];
}

/** The mounted composer of a conversation, which takes unsent messages back. */
export interface ReturnTarget {
  /** Returns false when it cannot take the message: a picture, while the composer is in use (A97). */
  take: (returned: Returned) => boolean;
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
   * Sends one message with its `wireContent`; rejects with a SocketRequestError. `onAck` is called before the next
   * frame is handled.
   */
  send: (message: OutgoingMessage, onAck: (data: Record<string, unknown>) => void) => Promise<unknown>;
  /** @returns false when the ack cannot be parsed. */
  onAck: (message: OutgoingMessage, data: Record<string, unknown>) => boolean;
  /** Called on a refusal other than a rate limit. The message waits for Retry unless the callback removes it. */
  onRefused: (message: OutgoingMessage, error: SocketRequestError) => void;
  upload: UploadPicture;
  /** Called when a message is returned while its conversation has no composer: it belongs in the draft. */
  onUnclaimed: (conversationId: string, returned: Pick<Returned, 'text' | 'replyTo'>) => void;
  /** Called when a reload lost the picture of a message before it was uploaded. */
  onPictureLost: (conversationId: string, returned: Pick<Returned, 'text' | 'replyTo'>) => void;
}

const noMessages: OutboxState = { messages: [], notice: null, returnedEdits: [] };

/** Messages between the composer and the server's acknowledgement, for both kinds of chat (A90, A97, A114). */
export const createOutbox = (options: OutboxOptions) => {
  const { clock } = options;
  const useStore = create<OutboxState>()(() => noMessages);
  const composers = new Map<string, ReturnTarget>();
  const uploads = new Map<string, AbortController>();
  /** Client ids of the requests in flight on the current connection. */
  const inFlight = new Set<string>();
  const lastTypingAt = new Map<string, number>();
  let userId: number | undefined;
  let noticeTimer: number | undefined;
  /** Incremented on a change of user: responses for an earlier user are ignored. */
  let epoch = 0;

  const findMessage = (clientId: string): OutgoingMessage | undefined =>
    useStore.getState().messages.find((message) => message.clientId === clientId);

  const setMessages = (messages: readonly OutgoingMessage[]): void => {
    useStore.setState({ messages });
    if (userId !== undefined) writeOutgoing(options.storageKey(userId), messages);
  };

  const updateMessage = (clientId: string, change: Partial<OutgoingMessage>): OutgoingMessage | undefined => {
    setMessages(
      useStore
        .getState()
        .messages.map((message) => (message.clientId === clientId ? { ...message, ...change } : message)),
    );
    return findMessage(clientId);
  };

  /** Removes messages and frees their pictures, unless `keepsPictures` says that a composer has them again. */
  const removeWhere = (
    shouldRemove: (message: OutgoingMessage) => boolean,
    { keepsPictures = false } = {},
  ): void => {
    const { messages } = useStore.getState();
    const removed = messages.filter(shouldRemove);
    if (removed.length === 0) return;
    setMessages(messages.filter((message) => !removed.includes(message)));
    for (const { clientId, picture } of removed) {
      uploads.get(clientId)?.abort();
      uploads.delete(clientId);
      if (!keepsPictures) discardAttachment(picture);
    }
  };
  const removeMessage = (clientId: string): void => removeWhere((message) => message.clientId === clientId);

  const notify = (conversationId: string, kind: NoticeKind, minimumMs = 0): void => {
    useStore.setState({ notice: { conversationId, kind } });
    clock.clearTimeout(noticeTimer);
    noticeTimer = clock.setTimeout(
      () => useStore.setState({ notice: null }),
      Math.max(minimumMs, pageLimits.toastMs),
    );
  };

  const toReturned = ({ content, replyTo, picture }: OutgoingMessage): Returned => ({
    text: content,
    replyTo,
    attachment: picture ? { previewUrl: picture.previewUrl, file: picture.file, url: picture.url } : null,
  });

  /**
   * Returns a message to its composer or draft.
   * @returns false when it has to stay in the list.
   */
  const returnToComposer = (message: OutgoingMessage): boolean => {
    const { conversationId, clientId, replyTo, picture } = message;
    const composer = composers.get(conversationId);
    if (!composer && picture) return false;
    if (!composer) options.onUnclaimed(conversationId, { text: message.content, replyTo });
    else if (!composer.take(toReturned(message))) return false;
    removeWhere((other) => other.clientId === clientId, { keepsPictures: true });
    return true;
  };

  const transmit = (message: OutgoingMessage): void => {
    const { clientId, conversationId } = message;
    if (inFlight.has(clientId)) return;
    inFlight.add(clientId);
    const epochAtSend = epoch;
    options
      .send(message, (data) => {
        if (epochAtSend !== epoch) return;
        if (options.onAck(message, data)) removeMessage(clientId);
        else updateMessage(clientId, { state: 'refused' });
      })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        if (epochAtSend !== epoch || !findMessage(clientId)) return;
        // The connection was lost: the message is sent again with the same clientId after the reconnect.
        if (error.failure === 'closed' || error.failure === 'not_connected') return;
        if (error.failure === 'timeout') return void updateMessage(clientId, { state: 'unanswered' });
        if (error.code !== 'rate_limited') {
          updateMessage(clientId, { state: 'refused' });
          return options.onRefused(message, error);
        }
        if (!returnToComposer(message)) updateMessage(clientId, { state: 'refused' });
        notify(conversationId, 'too_fast', error.retryAfterMs);
      })
      .finally(() => inFlight.delete(clientId));
  };

  const upload = ({ clientId, picture }: OutgoingMessage): void => {
    if (!picture?.file || uploads.has(clientId)) return;
    const controller = new AbortController();
    uploads.set(clientId, controller);
    const change = (part: Partial<NonNullable<OutgoingMessage['picture']>>) => {
      const present = findMessage(clientId);
      return present?.picture ? { picture: { ...present.picture, ...part } } : {};
    };
    options
      .upload(picture.file, {
        signal: controller.signal,
        onProgress: (percent) => {
          if (findMessage(clientId)?.picture?.percent !== percent)
            updateMessage(clientId, change({ percent }));
        },
      })
      .then(
        (url) => {
          if (controller.signal.aborted) return;
          const stored = updateMessage(clientId, { state: 'sending', ...change({ url, percent: 100 }) });
          if (stored) transmit(stored);
        },
        (error: unknown) => {
          const message = findMessage(clientId);
          if (controller.signal.aborted || !message) return;
          // Without a toast, as the specification requires (§8, A97).
          console.warn('The photo was not stored', error);
          if (!returnToComposer(message)) updateMessage(clientId, { state: 'upload_failed' });
        },
      )
      .finally(() => {
        if (uploads.get(clientId) === controller) uploads.delete(clientId);
      });
  };

  const dispatch = (message: OutgoingMessage): void =>
    message.state === 'uploading' ? upload(message) : transmit(message);

  return {
    useStore,
    /** Opens the outbox of a user, with the messages kept over a reload, and erases that of the previous user. */
    open: (next: number | undefined): void => {
      epoch += 1;
      removeWhere(() => userId !== next);
      for (const controller of uploads.values()) controller.abort();
      uploads.clear();
      inFlight.clear();
      lastTypingAt.clear();
      clock.clearTimeout(noticeTimer);
      userId = next;
      const stored = next === undefined ? [] : readOutgoing(options.storageKey(next));
      const isLost = ({ state }: OutgoingMessage): boolean =>
        state === 'uploading' || state === 'upload_failed';
      useStore.setState(noMessages);
      setMessages(stored.filter((message) => !isLost(message)));
      for (const { conversationId, content, replyTo } of stored.filter(isLost))
        options.onPictureLost(conversationId, { text: content, replyTo });
    },

    /** @returns false while not connected: nothing is queued then (A114). */
    submit: (conversationId: string, { text, attachment, replyTo }: Outgoing): boolean => {
      if (!options.isConnected()) {
        console.warn('Not connected: the message was not sent');
        return false;
      }
      const message: OutgoingMessage = {
        clientId: options.newId(),
        conversationId,
        content: text,
        type: !attachment ? 'text' : text === '' ? 'image' : 'mixed',
        replyTo,
        at: clock.now(),
        state: attachment && attachment.url === null ? 'uploading' : 'sending',
        ...(attachment ? { picture: { ...attachment, percent: attachment.url === null ? 0 : 100 } } : {}),
      };
      setMessages([...useStore.getState().messages, message]);
      dispatch(message);
      return true;
    },

    /** @returns false while not connected. */
    retry: (clientId: string): boolean => {
      if (!options.isConnected()) return false;
      const message = findMessage(clientId);
      if (!message || message.state === 'sending' || message.state === 'uploading') return true;
      const retried = updateMessage(clientId, {
        state: message.state === 'upload_failed' ? 'uploading' : 'sending',
      });
      if (retried) dispatch(retried);
      return true;
    },

    /** Deletes a message that was not delivered, or cancels an upload, whose caption returns to the composer. */
    discard: (clientId: string): void => {
      const message = findMessage(clientId);
      if (!message) return;
      const { conversationId, content: text, replyTo } = message;
      removeMessage(clientId);
      if (message.state !== 'uploading' || text === '') return;
      const returned = { text, replyTo, attachment: null };
      if (!composers.get(conversationId)?.take(returned)) options.onUnclaimed(conversationId, returned);
    },

    /** The message is stored, as a frame other than its ack shows. */
    stored: removeMessage,

    /** Called on connect: sends the messages that were interrupted, unanswered or kept over a reload, in order. */
    sendAll: (conversationId?: string): void => {
      for (const { clientId, state, conversationId: its } of useStore.getState().messages) {
        if (conversationId !== undefined && its !== conversationId) continue;
        if (state !== 'sending' && state !== 'unanswered') continue;
        const message =
          state === 'sending' ? findMessage(clientId) : updateMessage(clientId, { state: 'sending' });
        if (message) transmit(message);
      }
    },

    /** Called when the client stops reconnecting. */
    giveUp: (): void => {
      const { messages } = useStore.getState();
      if (!messages.some(({ state }) => state === 'sending')) return;
      setMessages(
        messages.map((message) =>
          message.state === 'sending' ? { ...message, state: 'unanswered' as const } : message,
        ),
      );
    },

    /** Removes the messages of conversations that have ended. */
    keepOnly: (isKept: (conversationId: string) => boolean): void => {
      removeWhere(({ conversationId }) => !isKept(conversationId));
      useStore.setState(({ returnedEdits, notice }) => ({
        returnedEdits: returnedEdits.filter(({ conversationId }) => isKept(conversationId)),
        notice: notice && isKept(notice.conversationId) ? notice : null,
      }));
    },

    /**
     * Registers the composer of a conversation when it is mounted.
     * @returns a function that unregisters it.
     */
    attach: (conversationId: string, composer: ReturnTarget): (() => void) => {
      composers.set(conversationId, composer);
      return () => {
        if (composers.get(conversationId) === composer) composers.delete(conversationId);
      };
    },

    notify,

    /** An edit could not be saved: keeps its text for another attempt. */
    returnEdit: (returned: ReturnedEdit): void =>
      useStore.setState(({ returnedEdits }) => ({ returnedEdits: [...returnedEdits, returned] })),
    /** The returned edit was saved or cancelled. */
    editDone: (returned: ReturnedEdit): void =>
      useStore.setState(({ returnedEdits }) => ({
        returnedEdits: returnedEdits.filter((other) => other !== returned),
      })),

    /** Returns true at most once in two seconds for each conversation (B02). */
    maySendTyping: (conversationId: string): boolean => {
      const now = clock.now();
      if (
        !options.isConnected() ||
        now - (lastTypingAt.get(conversationId) ?? -Infinity) < limits.typingIntervalMs
      ) {
        return false;
      }
      lastTypingAt.set(conversationId, now);
      return true;
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
