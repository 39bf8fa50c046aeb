import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { ChatPresenceService, type PartnerState } from '../../../platform/hot-log/chat-presence.service';
import { warnAbout } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { RedisSubscriberService } from '../../../platform/realtime/redis-subscriber.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { SHARD_COUNT, chatKeys } from '../../../platform/redis/redis.keys';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import type { Rates } from '../domain/random-chat.state';
import { type ChatSummary, summaryOf } from './chat-summary.mapper';
import { ChatRecordsService } from './chat-records.service';
import { resume, resumePages, sendFromStart } from './chat-resume.functions';
import { ChatTailService } from './chat-tail.service';
import { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import { bucketOf, type LimitsProfile } from '../../../platform/rate-limit/bucket.limits';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { LiveChat, type LiveChatServices } from './live-chat.model';
import { ServedChatRegistry } from './served-chat.registry';

const COMPARE_EVERY_MS = 5_000;

const ratesOf = (profile: LimitsProfile): Rates => ({
  message: bucketOf('random_message', profile),
  edit: bucketOf('edits', profile),
  reaction: bucketOf('reactions', profile),
  game: bucketOf('break_ice_start', profile),
});

/** The chats that this replica serves: those in which a participant has a socket here. */
@Injectable()
export class LiveChatService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(LiveChatService.name);
  private readonly served = new ServedChatRegistry({
    open: (sessionId) => this.open(sessionId),
    read: (chat) => this.load(chat),
    onDropped: (chat) => this.tails.retain(chat),
  });
  private readonly chatOf = new Map<SocketConnection, string>();
  /** The last chat of a socket, once the socket has been sent its end. */
  private readonly pastChatOf = new WeakMap<SocketConnection, string>();
  private readonly tails: ChatTailService;
  private readonly services: LiveChatServices;
  private readonly eventLoop = new EventLoopLimiter();
  private compareTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: ChatLogRepository,
    private readonly presence: ChatPresenceService,
    records: ChatRecordsService,
    private readonly subscriber: RedisSubscriberService,
    private readonly lease: ReplicaLeaseService,
    private readonly limiter: RateLimiterService,
    valve: MemoryValveService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.tails = new ChatTailService(log, records);
    const rates = ratesOf(environment.LIMITS_PROFILE);
    this.services = {
      log,
      rates,
      requireMemory: () => valve.requireOpen(),
      retainTail: (chat) => this.tails.retain(chat),
    };
  }

  async onModuleInit(): Promise<void> {
    const { replicaId } = this.lease;
    const receive = (message: string) => this.receive(message);
    await Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        this.subscriber.subscribe(chatKeys(shard).channel(replicaId), receive),
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

  /** Epoch ms by the clock of Redis, for rate-limited commands. */
  now(): number {
    return this.log.now();
  }

  /**
   * The chat of a frame. Also an ended one: a retried command gets the same ack again. Synchronous for a socket that
   * has joined the chat, as it has for almost every frame.
   * @throws DomainError not_in_session when the socket's user is not a participant.
   */
  require(connection: SocketConnection, sessionId: string): LiveChat | Promise<LiveChat> {
    const served = this.chatOf.get(connection) === sessionId && this.served.get(sessionId);
    return served && served.isReady ? served.chat : this.requireUnattached(connection, sessionId);
  }

  private async requireUnattached(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const chat = await this.find(connection, sessionId);
    if (this.chatOf.get(connection) === sessionId) return chat;
    if (!chat.hasParticipant(connection.identity.userId)) throw new DomainError('not_in_session');
    if (chat.isEnded) return chat;
    return (await this.join(connection, sessionId)) ?? chat;
  }

  /** The chat as this replica serves it to the socket, otherwise as read from Redis. */
  async find(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const served = this.served.get(sessionId);
    if (!served || this.chatOf.get(connection) !== sessionId) return this.read(sessionId);
    await served.ready;
    return served.chat;
  }

  /** A chat that has not started, or was not read yet: its first command finds out. */
  create(sessionId: string): LiveChat {
    return new LiveChat(sessionId, this.services);
  }

  /** Reads a chat without serving it. It has no participants if the chat does not exist. */
  async read(sessionId: string): Promise<LiveChat> {
    const chat = this.create(sessionId);
    await chat.catchUp();
    if (!(await this.restoreLost(sessionId, chat.version))) return chat;
    const restored = this.create(sessionId);
    await restored.catchUp();
    return restored;
  }

  /** The participants of a chat, and whether it has ended, without reading all of it. */
  async summary(sessionId: string): Promise<ChatSummary> {
    const edges = await this.log.readEdges(sessionId);
    const isRestored = await this.restoreLost(sessionId, edges.version);
    return summaryOf(sessionId, isRestored ? await this.log.readEdges(sessionId) : edges);
  }

  /** Reads a chat and keeps it in memory until the caller calls `release`. */
  hold(sessionId: string): Promise<LiveChat> {
    return this.served.hold(sessionId);
  }

  release(sessionId: string): void {
    this.served.release(sessionId);
  }

  /**
   * Joins a socket to a chat that starts, with each event as a frame of its own, including the end if the partner has
   * already skipped.
   * @returns the chat; null when it is over, or when the socket has already joined it or is closed.
   */
  async join(connection: SocketConnection, sessionId: string): Promise<LiveChat | null> {
    if (this.pastChatOf.get(connection) === sessionId || this.chatOf.get(connection) === sessionId)
      return null;
    const chat = await this.hold(sessionId);
    try {
      // A partner without a socket in the chat yet ('awaited') is about to join and not shown as away.
      return await this.joinSocket(connection, chat, ['reconnecting'], async () => {
        if (resumePages(chat, 0) <= 1) sendFromStart(chat, connection);
        else await resume(chat, connection, 0, this.eventLoop);
      });
    } finally {
      this.release(sessionId);
    }
  }

  /**
   * Rate-limits resumes by pages. A resume that fits on one page costs no more than any frame, and only the limit on
   * frames applies.
   * @throws DomainError rate_limited
   */
  async requireResume(chat: LiveChat, userId: number, seen: number): Promise<void> {
    const pages = resumePages(chat, seen);
    if (pages > 1) await this.limiter.require('resumed_pages', userId, pages);
  }

  /**
   * Joins a socket to a held chat again and sends the events that it has not seen. Also for a socket that has joined
   * the chat already and noticed a gap.
   * @returns null when the chat is over or the socket is closed.
   */
  async resume(connection: SocketConnection, chat: LiveChat, seen: number): Promise<LiveChat | null> {
    const sendPast = () => resume(chat, connection, seen, this.eventLoop);
    const away: readonly PartnerState[] = ['reconnecting', 'awaited'];
    if (this.chatOf.get(connection) !== chat.sessionId)
      return this.joinSocket(connection, chat, away, sendPast);
    await this.recordAndReadPartner(chat, connection, away);
    await chat.catchUp();
    await sendPast();
    if (!chat.isEnded) return chat;
    this.detachSockets(chat.sessionId);
    return null;
  }

  /**
   * @param chat held by the caller.
   * @param away the states in which the partner is shown as away.
   */
  private async joinSocket(
    connection: SocketConnection,
    chat: LiveChat,
    away: readonly PartnerState[],
    sendPast: () => Promise<void>,
  ): Promise<LiveChat | null> {
    const { sessionId } = chat;
    const { userId } = connection.identity;
    if (this.chatOf.get(connection) === sessionId || !connection.isOpen) return null;
    if (!chat.hasParticipant(userId)) return null;
    this.chatOf.set(connection, sessionId);
    let isIn = false;
    let isEnded = false;
    try {
      await this.recordAndReadPartner(chat, connection, away);
      // From here on every publication is received; earlier events are read from the stream.
      await chat.catchUp();
      await sendPast();
      if (chat.isEnded) {
        isEnded = true;
        this.detachSockets(sessionId);
        return null;
      }
      // The socket may have closed while it was joining.
      isIn = connection.isOpen;
      return isIn ? chat : null;
    } finally {
      if (!isIn) {
        chat.leave(connection);
        // Also when `record` failed: Redis may still execute a call that timed out here.
        if (isEnded) await this.presence.leaveEnded(sessionId, connection.id);
        else await this.presence.leave(sessionId, connection.id, this.environment.GRACE_AFTER_LOSS_MS);
        if (this.chatOf.get(connection) === sessionId) this.chatOf.delete(connection);
      }
    }
  }

  private open(sessionId: string): LiveChat {
    return new LiveChat(sessionId, this.services, {
      replicaId: this.lease.replicaId,
      onEnded: () => this.detachSockets(sessionId),
      onLost: (userIds) => this.tails.closeRecords(sessionId, userIds),
    });
  }

  private async load(chat: LiveChat): Promise<void> {
    await chat.catchUp();
    if (await this.restoreLost(chat.sessionId, chat.version)) await chat.catchUp();
  }

  /** @returns whether the chat has to be read again, because Redis had lost entries and they were restored. */
  private restoreLost(sessionId: string, version: number): Promise<boolean> {
    return this.tails.restoreLost(sessionId, version, this.served.get(sessionId)?.chat);
  }

  private receive(message: string): void {
    const afterId = message.indexOf(' ');
    this.served.get(message.slice(0, afterId))?.chat.receiveMessage(message.slice(afterId + 1));
  }

  /** Detaches the sockets of an ended chat, so that they can join another one. */
  private detachSockets(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served) return;
    for (const connection of [...served.chat.connections]) {
      served.chat.leave(connection);
      this.pastChatOf.set(connection, sessionId);
      if (this.chatOf.get(connection) === sessionId) this.chatOf.delete(connection);
      void this.presence.leaveEnded(sessionId, connection.id);
    }
    this.served.dropIfEmpty(sessionId);
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
    this.served.dropIfEmpty(sessionId);
  }

  /**
   * A page on the socket shows the chat, or no longer does: only sockets that show it make their user present (A51). A
   * socket that has not joined the chat keeps the setting for when it joins.
   */
  async show(connection: SocketConnection, sessionId: string, showsChat: boolean): Promise<void> {
    connection.showsChat = showsChat;
    const served = this.chatOf.get(connection) === sessionId && this.served.get(sessionId);
    if (served && !served.chat.isEnded) await this.record(served.chat, connection);
  }

  /** Records the socket in the chat and stores whether its partner is away. */
  private async recordAndReadPartner(
    chat: LiveChat,
    connection: SocketConnection,
    away: readonly PartnerState[],
  ): Promise<void> {
    await chat.readAway(partnerIdOf(chat, connection), async () =>
      away.includes(await this.record(chat, connection)),
    );
  }

  /** From here on, publications of the chat reach this replica. */
  private async record(chat: LiveChat, connection: SocketConnection): Promise<PartnerState> {
    const { id, showsChat } = connection;
    const { userId } = connection.identity;
    const partnerId = partnerIdOf(chat, connection);
    return this.presence.join(chat.sessionId, { id, userId, partnerId, showsChat });
  }

  /**
   * Restores what Redis has lost before any chat continues without it. Publications reach recorded sockets only, so the
   * versions are compared once more after all sockets have been recorded again.
   */
  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async recoverAfterLoss(): Promise<void> {
    await this.compareAll();
    await this.presence.reconcileAll();
    await this.compareAll();
  }

  private async compareAll(): Promise<void> {
    try {
      await this.tails.compare(this.served.chats());
    } catch (error) {
      warnAbout(this.logger, 'Chats were not compared', error);
    }
  }
}

const partnerIdOf = (chat: LiveChat, { identity: { userId } }: SocketConnection): number =>
  chat.userIds.find((id) => id !== userId) ?? 0;
