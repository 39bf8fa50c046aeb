import type { LiveChat } from './live-chat.model';

/** A chat that this replica serves, and whether it has been read. */
export interface ServedChat {
  chat: LiveChat;
  /** Resolves after the first read of the chat's stream, or rejects with its error. */
  ready: Promise<void>;
  /** Whether `ready` has resolved, for callers that must not wait. */
  isReady: boolean;
  /** Number of running calls of `withChat` for this chat, which is kept until they have ended. */
  uses: number;
}

export interface ServingOptions {
  /** Creates a chat without reading its stream. */
  create(sessionId: string): LiveChat;
  /** Reads the stream of a chat for the first time. */
  read(chat: LiveChat): Promise<void>;
  /** Called when the chat has no more sockets on this replica and is dropped. */
  onDropped(chat: LiveChat): void;
}

/**
 * The chats that this replica (an api process) serves, by session. Each chat is read once, and kept while it has
 * sockets on this replica or is in use.
 */
export class ServedChatRegistry {
  private readonly servedBySessionId = new Map<string, ServedChat>();

  constructor(private readonly options: ServingOptions) {}

  get size(): number {
    return this.servedBySessionId.size;
  }

  get(sessionId: string): ServedChat | undefined {
    return this.servedBySessionId.get(sessionId);
  }

  listChats(): LiveChat[] {
    return [...this.servedBySessionId.values()].map(({ chat }) => chat);
  }

  /**
   * Reads a chat, unless it is known, and keeps it in memory while `work` runs.
   * @throws the error of the read, or of `work`.
   */
  async withChat<Result>(sessionId: string, work: (chat: LiveChat) => Promise<Result>): Promise<Result> {
    const served = this.getOrCreate(sessionId);
    served.uses += 1;
    try {
      await served.ready;
      // The stream may have been read before the chat started.
      if (served.chat.version === 0) await served.chat.catchUp();
      return await work(served.chat);
    } finally {
      served.uses -= 1;
      this.dropIfUnused(sessionId);
    }
  }

  /** Drops a chat that has no sockets on this replica and is not in use. */
  dropIfUnused(sessionId: string): void {
    const served = this.servedBySessionId.get(sessionId);
    if (!served || served.uses > 0 || served.chat.hasSockets) return;
    this.servedBySessionId.delete(sessionId);
    this.options.onDropped(served.chat);
  }

  private getOrCreate(sessionId: string): ServedChat {
    const existing = this.servedBySessionId.get(sessionId);
    if (existing) return existing;
    const chat = this.options.create(sessionId);
    const served: ServedChat = { chat, ready: this.options.read(chat), isReady: false, uses: 0 };
    const markReady = (): void => {
      served.isReady = true;
    };
    // An error is ignored here, because `withChat` awaits `ready`, too, and throws it.
    served.ready.then(markReady, () => undefined);
    this.servedBySessionId.set(sessionId, served);
    return served;
  }
}
