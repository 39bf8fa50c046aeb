import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment';
import { DomainError } from '../../../platform/errors/domain-error';
import { ChatLog } from '../../../platform/hot-log/chat-log';
import { ChatPresence, type PartnerState } from '../../../platform/hot-log/chat-presence';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorators';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map';
import { ChannelHub } from '../../../platform/realtime/channel-hub';
import { ReplicaLease } from '../../../platform/realtime/replica-lease';
import type { SocketConnection } from '../../../platform/realtime/socket-connection';
import { CELL_COUNT, chatKeys } from '../../../platform/redis/redis-keys';
import { LiveChat } from './live-chat';

const COMPARE_EVERY_MS = 5_000;

interface Served {
  chat: LiveChat;
  /** Settles when the chat is read. */
  ready: Promise<void>;
  isReady: boolean;
  /** Sockets on their way in; the chat is kept while there are some. */
  entering: number;
}

/** The chats that this replica serves: those with a participant's socket here. */
@Injectable()
export class LiveChats implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(LiveChats.name);
  private readonly served = new Map<string, Served>();
  private readonly chatOf = new Map<SocketConnection, string>();
  /** The chat that a socket was in last, and has seen the end of. */
  private readonly pastChatOf = new WeakMap<SocketConnection, string>();
  private compareTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: ChatLog,
    private readonly presence: ChatPresence,
    private readonly channels: ChannelHub,
    private readonly lease: ReplicaLease,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async onModuleInit(): Promise<void> {
    const { replicaId } = this.lease;
    const hear = (message: string) => this.hear(message);
    await Promise.all(
      Array.from({ length: CELL_COUNT }, (_, cell) =>
        this.channels.subscribe(chatKeys(cell).channel(replicaId), hear),
      ),
    );
    this.compareTimer = setInterval(() => void this.compareAll(), COMPARE_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.compareTimer);
  }

  get size(): number {
    return this.served.size;
  }

  /**
   * The chat that a socket speaks in; one that is over, too, since what was said there may be said again.
   * @throws DomainError not_in_session when the socket's user is no participant.
   */
  async require(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const chat = await this.find(connection, sessionId);
    if (this.chatOf.get(connection) === sessionId) return chat;
    if (!chat.hasParticipant(connection.identity.userId)) throw new DomainError('not_in_session');
    if (chat.isEnded) return chat;
    return (await this.join(connection, sessionId)) ?? chat;
  }

  /** The chat that a socket is in, if it is this one: what almost every frame is about. */
  attached(connection: SocketConnection, sessionId: string): LiveChat | undefined {
    if (this.chatOf.get(connection) !== sessionId) return undefined;
    const served = this.served.get(sessionId);
    return served?.isReady ? served.chat : undefined;
  }

  /** The chat as this replica serves it to the socket, else as it is now. */
  async find(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const served = this.served.get(sessionId);
    if (!served || this.chatOf.get(connection) !== sessionId) return this.peek(sessionId);
    await served.ready;
    return served.chat;
  }

  /** A chat as it is now, without serving it. Has no participants when there is no such chat. */
  async peek(sessionId: string): Promise<LiveChat> {
    const chat = new LiveChat(sessionId, this.log, () => undefined);
    await chat.catchUp();
    return chat;
  }

  /**
   * Brings a socket into a chat that begins, with all its events as frames of their own: its end, too, when the
   * partner was quick to go on.
   * @returns the chat; null when it is over, or when the socket is in it already or is gone.
   */
  async join(connection: SocketConnection, sessionId: string): Promise<LiveChat | null> {
    if (this.pastChatOf.get(connection) === sessionId) return null;
    return this.bringIn(connection, sessionId, (chat, state) =>
      chat.join(connection, state === 'reconnecting'),
    );
  }

  /**
   * Brings a socket back into a chat, with what it has not seen; one that is in it already, and has seen a hole,
   * likewise.
   * @returns null when the chat is over, or the socket is gone.
   */
  async resume(connection: SocketConnection, sessionId: string, seen: number): Promise<LiveChat | null> {
    const greet = (chat: LiveChat, partnerState: PartnerState) => {
      if (!chat.isEnded) chat.resume(connection, seen, partnerState === 'connected');
    };
    const served = this.served.get(sessionId);
    if (!served?.chat.has(connection)) return this.bringIn(connection, sessionId, greet);
    await served.chat.catchUp();
    greet(served.chat, await this.enter(served.chat, connection));
    return served.chat.isEnded ? null : served.chat;
  }

  private async bringIn(
    connection: SocketConnection,
    sessionId: string,
    greet: (chat: LiveChat, partnerState: PartnerState) => void,
  ): Promise<LiveChat | null> {
    if (this.chatOf.get(connection) === sessionId || !connection.isOpen) return null;
    const served = this.serve(sessionId);
    served.entering += 1;
    this.chatOf.set(connection, sessionId);
    let isIn = false;
    let isEnded = false;
    /** From the moment at which the socket may be on record, whatever the answer: a call that times out is executed. */
    let isEntering = false;
    try {
      await served.ready;
      const { chat } = served;
      // What is known may be from before the chat began.
      if (chat.version === 0) await chat.catchUp();
      if (!chat.hasParticipant(connection.identity.userId)) return null;
      isEntering = true;
      const partnerState = await this.enter(chat, connection);
      // From here on everything is heard; what came before is read.
      await chat.catchUp();
      // The socket may have closed, or the chat ended, while we asked.
      if (!connection.isOpen) return null;
      greet(chat, partnerState);
      if (chat.isEnded) {
        isEnded = true;
        this.ended(sessionId);
        return null;
      }
      isIn = true;
      return chat;
    } finally {
      served.entering -= 1;
      if (!isIn) {
        if (isEnded) await this.presence.leaveEnded(sessionId, connection.id);
        else if (isEntering)
          await this.presence.leave(sessionId, connection.id, this.environment.GRACE_AFTER_LOSS_MS);
        if (this.chatOf.get(connection) === sessionId) this.chatOf.delete(connection);
        this.dropIfEmpty(sessionId);
      }
    }
  }

  private serve(sessionId: string): Served {
    const known = this.served.get(sessionId);
    if (known) return known;
    const chat = new LiveChat(sessionId, this.log, () => this.ended(sessionId), this.lease.replicaId);
    const ready = chat.catchUp();
    const served: Served = { chat, ready, isReady: false, entering: 0 };
    ready.then(
      () => (served.isReady = true),
      () => undefined, // seen by whoever waits for it
    );
    this.served.set(sessionId, served);
    return served;
  }

  private hear(message: string): void {
    const afterId = message.indexOf(' ');
    this.served.get(message.slice(0, afterId))?.chat.hear(message.slice(afterId + 1));
  }

  private dropIfEmpty(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served || served.entering > 0 || !served.chat.isEmpty) return;
    this.served.delete(sessionId);
  }

  /** Everybody here has been told; the sockets are free for another chat. */
  private ended(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served) return;
    for (const connection of [...served.chat.connections]) {
      served.chat.leave(connection);
      this.pastChatOf.set(connection, sessionId);
      if (this.chatOf.get(connection) === sessionId) this.chatOf.delete(connection);
      void this.presence.leaveEnded(sessionId, connection.id);
    }
    this.dropIfEmpty(sessionId);
  }

  @OnProcessEvent('SocketClosed')
  leave({ connection, closure: { isClean } }: ProcessEventMap['SocketClosed']): void {
    const sessionId = this.chatOf.get(connection);
    if (sessionId === undefined) return;
    this.chatOf.delete(connection);
    const served = this.served.get(sessionId);
    served?.chat.leave(connection);
    const { GRACE_AFTER_CLEAN_CLOSE_MS, GRACE_AFTER_LOSS_MS } = this.environment;
    const graceMs = isClean ? GRACE_AFTER_CLEAN_CLOSE_MS : GRACE_AFTER_LOSS_MS;
    void this.presence.leave(sessionId, connection.id, graceMs);
    this.dropIfEmpty(sessionId);
  }

  /**
   * A page on the socket shows the chat now, or does not any more: only sockets that show it make their user present
   * (A51). A socket that is not in the chat keeps the setting for when it joins.
   */
  async show(connection: SocketConnection, sessionId: string, showsChat: boolean): Promise<void> {
    connection.showsChat = showsChat;
    const chat = this.attached(connection, sessionId);
    if (chat && !chat.isEnded) await this.enter(chat, connection);
  }

  private async enter(chat: LiveChat, connection: SocketConnection): Promise<PartnerState> {
    const { id, showsChat } = connection;
    const { userId } = connection.identity;
    const partnerId = chat.userIds.find((other) => other !== userId) ?? 0;
    return this.presence.enter(chat.sessionId, { id, userId, partnerId, showsChat });
  }

  /** Messages are published to recorded sockets only: what was missed is read once all are recorded again. */
  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async enterAgain(): Promise<void> {
    await this.presence.recheck();
    await this.compareAll();
  }

  /**
   * Compares the tops of all chats served here, in one pipeline: pub/sub may lose a last message, and nobody
   * would see a hole.
   */
  private async compareAll(): Promise<void> {
    try {
      const chats = [...this.served.values()].map(({ chat }) => chat);
      if (chats.length === 0) return;
      const before = chats.map(({ version }) => version);
      const versions = await this.log.versions(chats.map(({ sessionId }) => sessionId));
      for (const [index, chat] of chats.entries()) {
        const version = versions[index] ?? 0;
        if (version > chat.version) await chat.catchUp();
        else if (version < (before[index] ?? 0)) await this.repair(chat);
      }
    } catch (error) {
      this.warn('Chats were not compared', error);
    }
  }

  /** Redis seemed to have less than this replica: once more, since a chat that is given up does not come back. */
  private async repair(chat: LiveChat): Promise<void> {
    const known = chat.version;
    const [version = known] = await this.log.versions([chat.sessionId]);
    if (version < known) await chat.restore(version);
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}: ${error instanceof Error ? error.message : 'unknown'}`);
  }
}
