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
import { type ServedChat, ServedChatRegistry } from './served-chat.registry';

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
  /** Restores the tail of a chat, its newest entries (stored events), when Redis has lost it. */
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
   * Returns the chat that a client's frame names. It may have ended: a client that missed the ack of a command retries
   * the command, and gets the ack from the chat's events. The result is synchronous if the socket has joined the chat,
   * which is the case for almost every frame.
   * @throws DomainError not_in_session when the socket's user is not a participant.
   */
  requireChat(connection: SocketConnection, sessionId: string): LiveChat | Promise<LiveChat> {
    const joined = this.findJoined(connection, sessionId);
    return joined?.isReady ? joined.chat : this.joinAndRequireChat(connection, sessionId);
  }

  private async joinAndRequireChat(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const chat = await this.findServedOrRead(connection, sessionId);
    // The socket may also have joined the chat while it was read.
    if (this.joinedSessionIds.get(connection) === sessionId) return chat;
    if (!chat.hasParticipant(connection.identity.userId)) throw new DomainError('not_in_session');
    if (chat.isEnded) return chat;
    // If the socket cannot join, for example because it has closed, the command uses the chat as it was read.
    return (await this.join(connection, sessionId)) ?? chat;
  }

  /** The chat as this replica serves it, if the socket has joined it; otherwise the chat as read from Redis. */
  async findServedOrRead(connection: SocketConnection, sessionId: string): Promise<LiveChat> {
    const joined = this.findJoined(connection, sessionId);
    if (!joined) return this.read(sessionId);
    await joined.ready;
    return joined.chat;
  }

  /** The served chat of the session, if the socket has joined it or is joining it. */
  private findJoined(connection: SocketConnection, sessionId: string): ServedChat | undefined {
    return this.joinedSessionIds.get(connection) === sessionId ? this.served.get(sessionId) : undefined;
  }

  /**
   * Creates a chat without reading its stream. A new chat needs no read, because its stream is empty. If the stream has
   * events after all, the append of the first command conflicts: the chat receives the events and decides again.
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
  withChat<Result>(sessionId: string, work: (chat: LiveChat) => Promise<Result>): Promise<Result> {
    return this.served.withChat(sessionId, work);
  }

  /**
   * Ends an open chat because Redis has lost the record that one of its users is in it, and frees both users for other
   * chats. If the chat has already ended, its end is read from the stream and sent to the sockets of this replica.
   */
  async endAfterLostRecord(sessionId: string): Promise<void> {
    await this.withChat(sessionId, async (chat) => {
      await chat.endAfterLostRecord();
      // `tails.closeRecords` only logs a failure, unlike `records.close`.
      await this.tails.closeRecords(sessionId, chat.userIds);
    });
  }

  /**
   * Joins a socket to a chat that has just started. Sends each event as its own frame, including the end if the partner
   * has already skipped. If the chat has grown too large for that, sends it in pages, as a resume does.
   * @returns the chat; null when it is over, or when the socket has already joined it or is closed.
   */
  async join(connection: SocketConnection, sessionId: string): Promise<LiveChat | null> {
    const hasReceivedEnd = this.lastEndedSessionIds.get(connection) === sessionId;
    const hasJoined = this.joinedSessionIds.get(connection) === sessionId;
    if (hasReceivedEnd || hasJoined) return null;
    return this.withChat(sessionId, (chat) =>
      // Only a reconnecting partner is shown as away. One without a socket in the chat yet ('awaited') will soon join.
      this.joinSocket(connection, chat, ['reconnecting'], async () => {
        // Both functions also attach the socket to the chat.
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
   * @param chat a chat that the caller holds with `withChat`.
   * @returns the chat; null when the chat is over or the socket is closed.
   */
  async resume(connection: SocketConnection, chat: LiveChat, seenVersion: number): Promise<LiveChat | null> {
    // `sendMissedEvents` attaches the socket with the last page.
    const sendPastEventsAndAttach = () => sendMissedEvents(chat, connection, seenVersion, this.eventLoop);
    // Unlike in `join`, a partner without a socket in the chat yet ('awaited') is shown as away.
    const awayStates: readonly PartnerState[] = ['reconnecting', 'awaited'];
    if (this.joinedSessionIds.get(connection) !== chat.sessionId)
      return this.joinSocket(connection, chat, awayStates, sendPastEventsAndAttach);
    // The client has noticed a gap; its socket has already joined.
    await this.recordSocketAndUpdateAway(chat, connection, awayStates);
    await chat.catchUp();
    await sendPastEventsAndAttach();
    if (!chat.isEnded) return chat;
    this.detachSockets(chat.sessionId);
    return null;
  }

  /**
   * Records the socket in Redis as a socket of the chat and sends past events to it. If the chat is over, the socket
   * has closed or a step has failed, removes the socket from Redis again.
   * @param chat a chat that the caller holds with `withChat`.
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
      // The record no longer names the previous chat, which therefore ends if it is still open. Its end is sent before
      // the start of the new chat.
      await this.endAfterLostRecord(previousSessionId);
    }
    // Another call may have joined the socket to the chat, or the socket may have closed, since this call began.
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
        // Needed even if `recordSocket` failed: Redis may still execute a call that timed out in this process. For an
        // ended chat, `detachSockets` may have made the same call already, which does no harm.
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
    const chat = this.findJoined(connection, sessionId)?.chat;
    if (chat && !chat.isEnded) await this.recordSocket(chat, connection);
  }

  /** Records the socket in Redis, and stores in the chat whether the partner of its user is away. */
  private async recordSocketAndUpdateAway(
    chat: LiveChat,
    connection: SocketConnection,
    awayStates: readonly PartnerState[],
  ): Promise<void> {
    await chat.updateAway(getPartnerId(chat, connection), async () => {
      const partnerState = await this.recordSocket(chat, connection);
      return awayStates.includes(partnerState);
    });
  }

  /**
   * Records the socket in Redis. After this, publications of the chat reach this replica.
   * @returns the state of the partner.
   */
  private async recordSocket(chat: LiveChat, connection: SocketConnection): Promise<PartnerState> {
    const { id, showsChat } = connection;
    const { userId } = connection.identity;
    const partnerId = getPartnerId(chat, connection);
    return this.presence.join(chat.sessionId, { id, userId, partnerId, showsChat });
  }

  /**
   * Called when publications may have been missed, or when other replicas may have evicted the records of this
   * replica's sockets, because this replica's lease (its proof of being alive) has lapsed. The first comparison
   * restores entries that Redis has lost, before chats continue without them. Then all sockets are recorded again,
   * because only replicas with recorded sockets receive publications. The second comparison reads the entries that were
   * published while they were not recorded.
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
