import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { ChatPresenceService, type PartnerState } from '../../../platform/hot-log/chat-presence.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { RedisSubscriberService } from '../../../platform/realtime/redis-subscriber.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { SHARD_COUNT, chatKeys } from '../../../platform/redis/redis.keys';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';
import { type ChatSummary, summariseChat } from './chat-summary.mapper';
import { ChatMetricsRegistry } from './chat-metrics.registry';
import { createRates } from './chat-rates.functions';
import { ChatRecordsService } from './chat-records.service';
import { countResumePages, sendAllEvents, sendMissedEvents } from './chat-resume.functions';
import { ChatTailService } from './chat-tail.service';
import { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { LiveChat, type LiveChatServices } from './live-chat.model';
import { ServedChatRegistry } from './served-chat.registry';

/** How often the versions (numbers of events) of chats are compared with Redis, because publications can be lost. */
const COMPARE_EVERY_MS = 5_000;

/**
 * The random chats on this replica (an api process). It serves the chats that one of its sockets has joined: it keeps
 * them in memory and sends their events to the sockets. Any other chat is read from Redis for each command or query.
 */
@Injectable()
export class LiveChatService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(LiveChatService.name);
  private readonly served = new ServedChatRegistry({
    create: (sessionId) => this.createServedChat(sessionId),
    read: (chat) => this.catchUpAndRestore(chat),
    onDropped: (chat) => this.tails.retain(chat),
  });
  /** The session that each socket has joined, or is joining. */
  private readonly joinedSessionIds = new Map<SocketConnection, string>();
  /** For each socket, the session whose end it received last. */
  private readonly lastEndedSessionIds = new WeakMap<SocketConnection, string>();
  /** Restores the newest entries (the tail) of chats when Redis has lost them. */
  private readonly tails: ChatTailService;
  private readonly services: LiveChatServices;
  private readonly eventLoop = new EventLoopLimiter();
  private compareTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: ChatLogRepository,
    private readonly presence: ChatPresenceService,
    private readonly records: ChatRecordsService,
    private readonly subscriber: RedisSubscriberService,
    private readonly lease: ReplicaLeaseService,
    private readonly limiter: RateLimiterService,
    memoryValve: MemoryValveService,
    metrics: ChatMetricsRegistry,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.tails = new ChatTailService(log, records);
    const rates = createRates(environment.LIMITS_PROFILE);
    this.services = {
      log,
      metrics,
      rates,
      requireMemory: () => memoryValve.requireOpen(),
      retainTail: (chat) => this.tails.retain(chat),
    };
  }

  async onModuleInit(): Promise<void> {
    const { replicaId } = this.lease;
    const dispatch = (message: string) => this.dispatchPublication(message);
    await Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        this.subscriber.subscribe(chatKeys(shard).channel(replicaId), dispatch),
      ),
    );
    this.compareTimer = setInterval(() => void this.compareVersions(), COMPARE_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.compareTimer);
  }

  /** Number of chats that this replica serves. */
  get size(): number {
    return this.served.size;
  }

  /** Estimated time of the Redis server in epoch ms. Rate limits of chats use it, because Redis stamps the events. */
  estimateRedisTimeMs(): number {
    return this.log.estimateRedisTimeMs();
  }

  /**
   * Returns the chat that a client's frame names, even if it has ended, because a retried command gets its ack again.
   * The result is synchronous if the socket has joined the chat, which is the case for almost every frame.
   * @throws DomainError not_in_session when the socket's user is not a participant.
   */
  requireChat(connection: SocketConnection, sessionId: string): LiveChat | Promise<LiveChat> {
    const served = this.joinedSessionIds.get(connection) === sessionId && this.served.get(sessionId);
    return served && served.isReady ? served.chat : this.joinAndRequireChat(connection, sessionId);
  }

  private async joinAndRequireChat(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const chat = await this.findServedOrRead(connection, sessionId);
    if (this.joinedSessionIds.get(connection) === sessionId) return chat;
    if (!chat.hasParticipant(connection.identity.userId)) throw new DomainError('not_in_session');
    if (chat.isEnded) return chat;
    return (await this.join(connection, sessionId)) ?? chat;
  }

  /** The chat as this replica serves it, if the socket has joined it; otherwise the chat as read from Redis. */
  async findServedOrRead(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const served = this.served.get(sessionId);
    if (!served || this.joinedSessionIds.get(connection) !== sessionId) return this.read(sessionId);
    await served.ready;
    return served.chat;
  }

  /**
   * Creates a chat without reading its stream. If the stream already has events, the first command reads them when it
   * fails to append, and appends again.
   */
  create(sessionId: string): LiveChat {
    return new LiveChat(sessionId, this.services);
  }

  /** Reads a chat without serving it. It has no participants if the chat does not exist. */
  async read(sessionId: string): Promise<LiveChat> {
    const chat = this.create(sessionId);
    await chat.catchUp();
    const isRestored = await this.restoreLost(sessionId, chat.version);
    if (!isRestored) return chat;
    const restored = this.create(sessionId);
    await restored.catchUp();
    return restored;
  }

  /** The participants of a chat, and whether it has ended, without reading all of it. */
  async readSummary(sessionId: string): Promise<ChatSummary> {
    const stored = await this.log.readFirstAndLast(sessionId);
    const isRestored = await this.restoreLost(sessionId, stored.version);
    return summariseChat(sessionId, isRestored ? await this.log.readFirstAndLast(sessionId) : stored);
  }

  /** Reads a chat and keeps it in memory while `work` runs. */
  use<Result>(sessionId: string, work: (chat: LiveChat) => Promise<Result>): Promise<Result> {
    return this.served.use(sessionId, work);
  }

  /**
   * Ends an open chat after Redis lost the record that a user is in it, and frees its users for other chats. If the
   * chat has already ended, sockets on this replica receive the end, in case its publication is late.
   */
  async endAfterLostRecord(sessionId: string): Promise<void> {
    await this.use(sessionId, async (chat) => {
      await chat.endAfterLostRecord();
      await this.tails.closeRecords(sessionId, chat.userIds);
    });
  }

  /**
   * Joins a socket to a chat that has just started. Sends each event as its own frame, including the end if the partner
   * has already skipped. If the chat has grown too large for that, sends it in pages, as a resume does.
   * @returns the chat; null when it is over, or when the socket has already joined it or is closed.
   */
  async join(connection: SocketConnection, sessionId: string): Promise<LiveChat | null> {
    const knownSessionIds = [this.lastEndedSessionIds.get(connection), this.joinedSessionIds.get(connection)];
    if (knownSessionIds.includes(sessionId)) return null;
    return this.use(sessionId, (chat) =>
      // A partner without a socket in the chat yet ('awaited') is about to join, and is not shown as away.
      this.joinSocket(connection, chat, ['reconnecting'], async () => {
        if (countResumePages(chat, 0) <= 1) sendAllEvents(chat, connection);
        else await sendMissedEvents(chat, connection, 0, this.eventLoop);
      }),
    );
  }

  /**
   * Rate-limits resumes by pages. A resume that fits on one page costs no more than any other frame, so only the limit
   * on frames applies to it.
   * @throws DomainError `rate_limited`
   */
  async limitResumeRate(chat: LiveChat, userId: number, seenVersion: number): Promise<void> {
    const pages = countResumePages(chat, seenVersion);
    if (pages > 1) await this.limiter.require('resumed_pages', userId, pages);
  }

  /**
   * Joins a reconnected socket to a chat and sends the events that its client has not seen. Also called for a client
   * that has noticed a gap; in this case the socket has already joined.
   * @param chat a chat that the caller holds with `use`.
   * @returns the chat; null when the chat is over or the socket is closed.
   */
  async resume(connection: SocketConnection, chat: LiveChat, seenVersion: number): Promise<LiveChat | null> {
    const sendPastEventsAndAttach = () => sendMissedEvents(chat, connection, seenVersion, this.eventLoop);
    // Unlike in `join`, a partner without a socket in the chat yet ('awaited') is shown as away.
    const awayStates: readonly PartnerState[] = ['reconnecting', 'awaited'];
    if (this.joinedSessionIds.get(connection) !== chat.sessionId)
      return this.joinSocket(connection, chat, awayStates, sendPastEventsAndAttach);
    await this.recordSocketAndUpdateAway(chat, connection, awayStates);
    await chat.catchUp();
    await sendPastEventsAndAttach();
    if (!chat.isEnded) return chat;
    this.detachSockets(chat.sessionId);
    return null;
  }

  /**
   * Adds the socket to the chat's sockets in Redis and sends past events to it. Removes it from them if the chat is
   * over or the socket does not stay in it.
   * @param chat a chat that the caller holds with `use`.
   * @param awayStates the states in which the partner is shown as away.
   * @param sendPastEventsAndAttach sends past events and attaches the socket to the chat.
   * @returns the chat; null when the socket has not joined it.
   */
  private async joinSocket(
    connection: SocketConnection,
    chat: LiveChat,
    awayStates: readonly PartnerState[],
    sendPastEventsAndAttach: () => Promise<void>,
  ): Promise<LiveChat | null> {
    const { sessionId } = chat;
    const { userId } = connection.identity;
    const previousSessionId = this.joinedSessionIds.get(connection);
    if (previousSessionId !== undefined && previousSessionId !== sessionId) {
      // Only the user's record says which of the two chats is the current one.
      if (!(await this.records.isInChat(userId, sessionId))) return null;
      // The record names the new chat, so the previous one has to end. Its end is sent before the start of the next.
      await this.endAfterLostRecord(previousSessionId);
    }
    if (this.joinedSessionIds.get(connection) === sessionId || !connection.isOpen) return null;
    if (!chat.hasParticipant(userId)) return null;
    this.joinedSessionIds.set(connection, sessionId);
    let hasJoined = false;
    let isEnded = false;
    try {
      await this.recordSocketAndUpdateAway(chat, connection, awayStates);
      // The socket is recorded, so every later publication arrives. Earlier events are read from the stream.
      await chat.catchUp();
      await sendPastEventsAndAttach();
      if (chat.isEnded) {
        isEnded = true;
        this.detachSockets(sessionId);
        return null;
      }
      // The socket may have closed while it was joining.
      hasJoined = connection.isOpen;
      return hasJoined ? chat : null;
    } finally {
      if (!hasJoined) {
        chat.detach(connection);
        // Needed even if `recordSocket` failed: Redis may still execute a call that timed out in this process. Repeats
        // what `detachSockets` has done for an attached socket of an ended chat.
        if (isEnded) await this.presence.leaveEndedChat(sessionId, connection.id);
        else await this.presence.leave(sessionId, connection.id, this.environment.GRACE_AFTER_LOSS_MS);
        if (this.joinedSessionIds.get(connection) === sessionId) this.joinedSessionIds.delete(connection);
      }
    }
  }

  private createServedChat(sessionId: string): LiveChat {
    return new LiveChat(sessionId, this.services, {
      replicaId: this.lease.replicaId,
      onEnded: () => this.detachSockets(sessionId),
      onChatLost: (userIds) => this.tails.closeRecords(sessionId, userIds),
    });
  }

  private async catchUpAndRestore(chat: LiveChat): Promise<void> {
    await chat.catchUp();
    if (await this.restoreLost(chat.sessionId, chat.version)) await chat.catchUp();
  }

  /** @returns whether the chat has to be read again, because Redis had lost entries and they were restored. */
  private restoreLost(sessionId: string, version: number): Promise<boolean> {
    return this.tails.restoreLost(sessionId, version, this.served.get(sessionId)?.chat);
  }

  /** @param message the session id, a space, and the publication. */
  private dispatchPublication(message: string): void {
    const sessionIdEnd = message.indexOf(' ');
    this.served.get(message.slice(0, sessionIdEnd))?.chat.receivePublication(message.slice(sessionIdEnd + 1));
  }

  /** Detaches the sockets of an ended chat, so that they can join another chat. */
  private detachSockets(sessionId: string): void {
    const served = this.served.get(sessionId);
    if (!served) return;
    for (const connection of [...served.chat.connections]) {
      served.chat.detach(connection);
      this.lastEndedSessionIds.set(connection, sessionId);
      if (this.joinedSessionIds.get(connection) === sessionId) this.joinedSessionIds.delete(connection);
      void this.presence.leaveEndedChat(sessionId, connection.id);
    }
    this.served.dropIfUnused(sessionId);
  }

  @OnProcessEvent('SocketClosed')
  leaveChat({ connection, closure: { isClean } }: ProcessEventMap['SocketClosed']): void {
    const sessionId = this.joinedSessionIds.get(connection);
    if (sessionId === undefined) return;
    this.joinedSessionIds.delete(connection);
    const served = this.served.get(sessionId);
    served?.chat.detach(connection);
    const { GRACE_AFTER_CLEAN_CLOSE_MS, GRACE_AFTER_LOSS_MS } = this.environment;
    // How long the chat waits for the user to return.
    const graceMs = isClean ? GRACE_AFTER_CLEAN_CLOSE_MS : GRACE_AFTER_LOSS_MS;
    void this.presence.leave(sessionId, connection.id, graceMs);
    this.served.dropIfUnused(sessionId);
  }

  /**
   * Stores whether the page of the socket shows the chat, because only such sockets make their user present
   * (docs/protocol.md). If the socket has not joined the chat yet, the setting applies when it joins.
   */
  async setShowsChat(connection: SocketConnection, sessionId: string, showsChat: boolean): Promise<void> {
    connection.showsChat = showsChat;
    const served = this.joinedSessionIds.get(connection) === sessionId && this.served.get(sessionId);
    if (served && !served.chat.isEnded) await this.recordSocket(served.chat, connection);
  }

  /** Records the socket in the chat and stores whether its partner is away. */
  private async recordSocketAndUpdateAway(
    chat: LiveChat,
    connection: SocketConnection,
    awayStates: readonly PartnerState[],
  ): Promise<void> {
    await chat.updateAway(getPartnerId(chat, connection), async () =>
      awayStates.includes(await this.recordSocket(chat, connection)),
    );
  }

  /** Records the socket in Redis. After this, publications of the chat reach this replica. */
  private async recordSocket(chat: LiveChat, connection: SocketConnection): Promise<PartnerState> {
    const { id, showsChat } = connection;
    const { userId } = connection.identity;
    const partnerId = getPartnerId(chat, connection);
    return this.presence.join(chat.sessionId, { id, userId, partnerId, showsChat });
  }

  /**
   * Called when publications may have been missed, or when other replicas may have evicted the records of this
   * replica's sockets, because this replica's lease (its proof of being alive) has lapsed. First restores entries that
   * Redis has lost, before chats continue without them. Redis publishes only to replicas with recorded sockets.
   * Therefore versions are compared again after all sockets have been recorded.
   */
  @OnProcessEvent('LeaseLapsed')
  @OnProcessEvent('SubscriberRestored')
  async recoverAfterLoss(): Promise<void> {
    await this.compareVersions();
    await this.presence.reconcileAll();
    await this.compareVersions();
  }

  /**
   * Compares the versions of chats with Redis: restores entries that Redis has lost, and reads missed ones. A failure
   * is only logged: the next run is soon.
   */
  private async compareVersions(): Promise<void> {
    try {
      await this.tails.compareVersions(this.served.listChats());
    } catch (error) {
      logWarning(this.logger, 'Chats were not compared', error);
    }
  }
}

/** A socket joins only chats of its user, so the partner is known; 0 satisfies the compiler. */
const getPartnerId = (chat: LiveChat, { identity: { userId } }: SocketConnection): number =>
  chat.userIds.find((id) => id !== userId) ?? 0;
