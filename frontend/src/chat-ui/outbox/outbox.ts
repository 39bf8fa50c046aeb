import { limits } from '@thaw/contract/limits';
import { create } from 'zustand';
import { discardAttachment } from '@/chat-ui/attachment';
import { type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { type NoticeKind } from '@/chat-ui/copy';
import { readOutgoing, writeOutgoing, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

/** An edit that was not saved, with its text, to be opened again. */
export interface ReturnedEdit {
  conversationId: string;
  messageId: string;
  text: string;
}

export interface OutboxState {
  /** In the order of writing. */
  messages: readonly OutgoingMessage[];
  /** Why something of a conversation was not sent or saved; shown for a while. */
  notice: { conversationId: string; kind: NoticeKind } | null;
  returnedEdits: readonly ReturnedEdit[];
}

/** The composer of the conversation on the screen. */
export interface ComposerPort {
  /** False when it cannot hold what comes back: a picture, while the composer is in use (A97). */
  take: (returned: Returned) => boolean;
}

export type UploadPicture = (
  file: File,
  options: { signal: AbortSignal; onProgress: (percent: number) => void },
) => Promise<string>;

export interface OutboxOptions {
  clock: Clock;
  newId: () => string;
  /** Where in session storage the messages of this user survive a reload. */
  storageKey: (userId: number) => string;
  isConnected: () => boolean;
  /** Sends one message with its `wireContent`; rejects with a SocketRequestError. `onAck` is called before the next frame. */
  send: (message: OutgoingMessage, onAck: (data: Record<string, unknown>) => void) => Promise<unknown>;
  /** @returns false when the ack cannot be read. */
  onAck: (message: OutgoingMessage, data: Record<string, unknown>) => boolean;
  /** A refusal other than a rate limit; the message waits for Retry unless this drops it. */
  onRefused: (message: OutgoingMessage, error: SocketRequestError) => void;
  upload: UploadPicture;
  /** What comes back while its conversation is not on the screen: belongs into the draft. */
  onUnclaimed: (conversationId: string, returned: Pick<Returned, 'text' | 'replyTo'>) => void;
  /** A reload lost the picture of this message before it was stored. */
  onPictureLost: (conversationId: string, returned: Pick<Returned, 'text' | 'replyTo'>) => void;
}

const noMessages: OutboxState = { messages: [], notice: null, returnedEdits: [] };

/** Messages on their way from the composer to the server's acknowledgement, for both kinds of chat (A90, A97, A114). */
export const createOutbox = (options: OutboxOptions) => {
  const { clock } = options;
  const useStore = create<OutboxState>()(() => noMessages);
  const ports = new Map<string, ComposerPort>();
  const uploads = new Map<string, AbortController>();
  /** Requests on the present connection. */
  const underWay = new Set<string>();
  const typedAt = new Map<string, number>();
  let userId: number | undefined;
  let noticeTimer: number | undefined;
  /** Answers that belong to an earlier user are ignored. */
  let epoch = 0;

  const find = (clientId: string): OutgoingMessage | undefined =>
    useStore.getState().messages.find((message) => message.clientId === clientId);

  const setMessages = (messages: readonly OutgoingMessage[]): void => {
    useStore.setState({ messages });
    if (userId !== undefined) writeOutgoing(options.storageKey(userId), messages);
  };

  const patch = (clientId: string, change: Partial<OutgoingMessage>): OutgoingMessage | undefined => {
    setMessages(
      useStore
        .getState()
        .messages.map((message) => (message.clientId === clientId ? { ...message, ...change } : message)),
    );
    return find(clientId);
  };

  /** Takes messages out. Their pictures are freed, unless they have gone back to a composer. */
  const removeWhere = (isGone: (message: OutgoingMessage) => boolean, keepsPictures = false): void => {
    const { messages } = useStore.getState();
    const gone = messages.filter(isGone);
    if (gone.length === 0) return;
    setMessages(messages.filter((message) => !gone.includes(message)));
    for (const { clientId, picture } of gone) {
      uploads.get(clientId)?.abort();
      uploads.delete(clientId);
      if (!keepsPictures) discardAttachment(picture);
    }
  };
  const remove = (clientId: string): void => removeWhere((message) => message.clientId === clientId);

  const notify = (conversationId: string, kind: NoticeKind, atLeastMs = 0): void => {
    useStore.setState({ notice: { conversationId, kind } });
    clock.clearTimeout(noticeTimer);
    noticeTimer = clock.setTimeout(
      () => useStore.setState({ notice: null }),
      Math.max(atLeastMs, pageLimits.toastMs),
    );
  };

  const returnedOf = ({ content, replyTo, picture }: OutgoingMessage): Returned => ({
    text: content,
    replyTo,
    attachment: picture ? { previewUrl: picture.previewUrl, file: picture.file, url: picture.url } : null,
  });

  /** Gives a message back to its composer, or to the draft. @returns false when it has to stay a row. */
  const giveBack = (message: OutgoingMessage): boolean => {
    const { conversationId, clientId, replyTo, picture } = message;
    const port = ports.get(conversationId);
    if (!port && picture) return false;
    if (!port) options.onUnclaimed(conversationId, { text: message.content, replyTo });
    else if (!port.take(returnedOf(message))) return false;
    removeWhere((other) => other.clientId === clientId, true);
    return true;
  };

  const transmit = (message: OutgoingMessage): void => {
    const { clientId, conversationId } = message;
    if (underWay.has(clientId)) return;
    underWay.add(clientId);
    const sentIn = epoch;
    options
      .send(message, (data) => {
        if (sentIn !== epoch) return;
        if (options.onAck(message, data)) remove(clientId);
        else patch(clientId, { state: 'refused' });
      })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        if (sentIn !== epoch || !find(clientId)) return;
        // Cut off on the way: sent again under the same clientId once the connection is back.
        if (error.failure === 'closed' || error.failure === 'not_connected') return;
        if (error.failure === 'timeout') return void patch(clientId, { state: 'unanswered' });
        if (error.code !== 'rate_limited') {
          patch(clientId, { state: 'refused' });
          return options.onRefused(message, error);
        }
        if (!giveBack(message)) patch(clientId, { state: 'refused' });
        notify(conversationId, 'too_fast', error.retryAfterMs);
      })
      .finally(() => underWay.delete(clientId));
  };

  const upload = ({ clientId, picture }: OutgoingMessage): void => {
    if (!picture?.file || uploads.has(clientId)) return;
    const controller = new AbortController();
    uploads.set(clientId, controller);
    const change = (part: Partial<NonNullable<OutgoingMessage['picture']>>) => {
      const present = find(clientId);
      return present?.picture ? { picture: { ...present.picture, ...part } } : {};
    };
    options
      .upload(picture.file, {
        signal: controller.signal,
        onProgress: (percent) => {
          if (find(clientId)?.picture?.percent !== percent) patch(clientId, change({ percent }));
        },
      })
      .then(
        (url) => {
          if (controller.signal.aborted) return;
          const stored = patch(clientId, { state: 'sending', ...change({ url, percent: 100 }) });
          if (stored) transmit(stored);
        },
        (error: unknown) => {
          const message = find(clientId);
          if (controller.signal.aborted || !message) return;
          // Without a toast, as the specification has it (§8, A97).
          console.warn('The photo was not stored', error);
          if (!giveBack(message)) patch(clientId, { state: 'upload_failed' });
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
    /** This user's outbox, with what a reload left; that of an earlier user is erased. */
    open: (next: number | undefined): void => {
      epoch += 1;
      removeWhere(() => userId !== next);
      for (const controller of uploads.values()) controller.abort();
      uploads.clear();
      underWay.clear();
      typedAt.clear();
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
      const message = find(clientId);
      if (!message || message.state === 'sending' || message.state === 'uploading') return true;
      const again = patch(clientId, {
        state: message.state === 'upload_failed' ? 'uploading' : 'sending',
      });
      if (again) dispatch(again);
      return true;
    },

    /** Delete of a message that was not delivered, or Cancel of an upload: then the caption goes back. */
    discard: (clientId: string): void => {
      const message = find(clientId);
      if (!message) return;
      const { conversationId, content: text, replyTo } = message;
      remove(clientId);
      if (message.state !== 'uploading' || text === '') return;
      const returned = { text, replyTo, attachment: null };
      if (!ports.get(conversationId)?.take(returned)) options.onUnclaimed(conversationId, returned);
    },

    /** The message is known to be stored, by a frame rather than its ack. */
    stored: remove,

    /** There is a connection: what was cut off, unanswered or left by a reload is sent again, in order. */
    sendAll: (conversationId?: string): void => {
      for (const { clientId, state, conversationId: its } of useStore.getState().messages) {
        if (conversationId !== undefined && its !== conversationId) continue;
        if (state !== 'sending' && state !== 'unanswered') continue;
        const message = state === 'sending' ? find(clientId) : patch(clientId, { state: 'sending' });
        if (message) transmit(message);
      }
    },

    /** No connection will come by itself. */
    giveUp: (): void => {
      const { messages } = useStore.getState();
      if (!messages.some(({ state }) => state === 'sending')) return;
      setMessages(
        messages.map((message) =>
          message.state === 'sending' ? { ...message, state: 'unanswered' as const } : message,
        ),
      );
    },

    /** Drops the messages of conversations that are over. */
    keepOnly: (isKept: (conversationId: string) => boolean): void => {
      removeWhere(({ conversationId }) => !isKept(conversationId));
      useStore.setState(({ returnedEdits, notice }) => ({
        returnedEdits: returnedEdits.filter(({ conversationId }) => isKept(conversationId)),
        notice: notice && isKept(notice.conversationId) ? notice : null,
      }));
    },

    /** The composer of a conversation is on the screen. @returns how to take it away. */
    attach: (conversationId: string, port: ComposerPort): (() => void) => {
      ports.set(conversationId, port);
      return () => {
        if (ports.get(conversationId) === port) ports.delete(conversationId);
      };
    },

    notify,

    /** An edit was not saved: its text is offered for another try. */
    returnEdit: (returned: ReturnedEdit): void =>
      useStore.setState(({ returnedEdits }) => ({ returnedEdits: [...returnedEdits, returned] })),
    /** The returned edit was saved again or given up. */
    editDone: (returned: ReturnedEdit): void =>
      useStore.setState(({ returnedEdits }) => ({
        returnedEdits: returnedEdits.filter((other) => other !== returned),
      })),

    /** True at most every two seconds for each conversation (B02). */
    mayTellTyping: (conversationId: string): boolean => {
      const now = clock.now();
      if (!options.isConnected() || now - (typedAt.get(conversationId) ?? -Infinity) < limits.typingEveryMs) {
        return false;
      }
      typedAt.set(conversationId, now);
      return true;
    },
  };
};

export type Outbox = ReturnType<typeof createOutbox>;
