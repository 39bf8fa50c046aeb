import type { LiveChat } from './live-chat.model';

/** A chat that this replica serves. */
export interface ServedChat {
  chat: LiveChat;
  /** Settles when the chat has been read. */
  ready: Promise<void>;
  isReady: boolean;
  /** Number of calls of `hold` that are not released yet, such as by sockets that are joining. A held chat is kept. */
  holders: number;
}

export interface ServingOptions {
  /** Creates a chat without reading it. */
  create(sessionId: string): LiveChat;
  read(chat: LiveChat): Promise<void>;
  /** Called when the chat has no more sockets on this replica and is dropped. */
  onDropped(chat: LiveChat): void;
}

/** The chats that this replica serves, by session: each is read once and kept while it has sockets here or is held. */
export class ServedChatRegistry {
  private readonly served = new Map<string, ServedChat>();

  constructor(private readonly options: ServingOptions) {}

  get size(): number {
    return this.served.size;
  }

  get(sessionId: string): ServedChat | undefined {
    return this.served.get(sessionId);
  }

  listChats(): LiveChat[] {
    return [...this.served.values()].map(({ chat }) => chat);
  }

  /** Reads a chat and keeps it until the caller calls `release`. @throws the error of the read. */
  async hold(sessionId: string): Promise<LiveChat> {
    const served = this.getOrCreate(sessionId);
    served.holders += 1;
    try {
      await served.ready;
      // The stream may have been read before the chat started.
      if (served.chat.version === 0) await served.chat.catchUp();
      return served.chat;
    } catch (error) {
      this.release(sessionId);
      throw error;
    }
  }

  release(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served) return;
    served.holders -= 1;
    this.dropIfEmpty(sessionId);
  }

  dropIfEmpty(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served || served.holders > 0 || !served.chat.isEmpty) return;
    this.served.delete(sessionId);
    this.options.onDropped(served.chat);
  }

  private getOrCreate(sessionId: string): ServedChat {
    const existing = this.served.get(sessionId);
    if (existing) return existing;
    const chat = this.options.create(sessionId);
    const ready = this.options.read(chat);
    const served: ServedChat = { chat, ready, isReady: false, holders: 0 };
    ready.then(
      () => (served.isReady = true),
      () => undefined, // the error reaches the callers of `hold`, which await `ready`
    );
    this.served.set(sessionId, served);
    return served;
  }
}
