import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { isStoreFailure } from '../../../platform/errors/store-failure.errors';
import type {
  AppendResult,
  ChatLogEntry,
  ChatLogRepository,
} from '../../../platform/hot-log/chat-log.repository';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame.model';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import type { Decision } from '../domain/decision.types';
import type { RandomChatCommand } from '../domain/random-chat.commands';
import { decide } from '../domain/random-chat.decider';
import { type EventPosition, parseOccurredAtMs, type RandomChatEvent } from '../domain/random-chat.events';
import type { Rates } from '../domain/random-chat.state';
import { encodeEvent, type LoggedEvent, type DecodedEvent } from './chat-event.codec';
import { AwayUsers } from './away-users.model';
import { buildAck } from './chat-frame.mapper';
import type { ChatMetricsRegistry } from './chat-metrics.registry';
import { restoreTail } from './chat-restore.functions';
import { ChatSockets } from './chat-sockets.model';
import { FoldedChat } from './folded-chat.model';

/**
 * Attempts to append the events of a command. An attempt fails when another replica has appended first. This can happen
 * many times in a row while both users send as fast as they can: the other replica appends further events while this
 * one applies those that it has missed.
 */
const MAX_APPEND_ATTEMPTS = 64;

const logger = new Logger('LiveChat');

interface ExecuteOptions {
  /** The client's frame that led to the command. */
  frame?: InboundFrame | undefined;
  /** As in `AppendOptions` of the log: appends only if this user's deadline for returning has passed. */
  ifOverdue?: { userId: number };
}

export type ExecuteResult =
  | { kind: 'appended'; events: readonly LoggedEvent[] }
  /** A repeated command, with the position of the event of its first execution. Nothing was appended. */
  | { kind: 'already_done'; position: EventPosition }
  /** Result of `executeIfOverdue` only: the user has returned, or another process has handled the deadline. */
  | { kind: 'not_overdue' };

/** Dependencies shared by all chats of this process. */
export interface LiveChatServices {
  log: ChatLogRepository;
  metrics: ChatMetricsRegistry;
  rates: Rates;
  /** @throws DomainError `unavailable` while Redis has too little memory for new data. */
  requireMemory(): void;
  /**
   * Called after an append to a chat that this replica does not serve. Keeps the chat for some seconds: if Redis loses
   * its newest entries (its tail), they can be appended again.
   */
  retainTail(chat: LiveChat): void;
}

/**
 * What a chat needs while this replica serves it to sockets. A chat that was loaded for one read or command has none.
 */
export interface Serving {
  replicaId: string;
  /** Called when the end of the chat has been sent to the sockets. */
  onEnded(): void;
  /**
   * Called when Redis lost the chat or its records (which users are in the chat, and with which sockets). The stream
   * has been ended; the callback deletes the records.
   */
  onChatLost(userIds: readonly number[]): Promise<void>;
}

/**
 * One chat in the memory of this replica (an api process): a copy of its Redis stream, and its sockets on this replica.
 * Every entry of the stream passes through `receiveEntry`, whether it comes from an append, a publication (a message of
 * Redis Pub/Sub) or a read. The sockets receive the events in order of version, which is the position in the stream and
 * the `seq` that clients see. Known entries are ignored, and a gap is filled before any later entry is sent.
 */
export class LiveChat extends FoldedChat {
  /** Entries received out of order, by version. They wait here until the gap before them is filled. */
  private readonly bufferedEntries = new Map<number, ChatLogEntry>();
  /** Set while a command runs whose sender expects an ack: the client's frame, and the event that the ack reports. */
  private pendingAck: { frame: InboundFrame; eventId: string } | undefined;
  /** Whether the stream in Redis has other entries than this copy. Nothing can be restored from the copy then. */
  hasDiverged = false;
  private readonly sockets = new ChatSockets();
  private readonly awayUsers = new AwayUsers();
  /** The running command or repair. Only one runs at a time: the others await it, and then check this field again. */
  private turn: Promise<void> | undefined;
  private readonly endTurn = (): void => {
    this.turn = undefined;
  };
  /** The running read that fills a gap. */
  private gapFill: Promise<void> | undefined;

  constructor(
    sessionId: string,
    private readonly services: LiveChatServices,
    private readonly serving?: Serving,
  ) {
    super(sessionId, services.rates);
  }

  get hasSockets(): boolean {
    return !this.sockets.isEmpty;
  }

  get connections(): Iterable<SocketConnection> {
    return this.sockets;
  }

  /** Whether a participant has left the chat and may return. */
  isAway(userId: number): boolean {
    return this.awayUsers.has(userId);
  }

  /** Reads the entries after the known ones from the stream: at least those that existed at the time of the call. */
  async catchUp(): Promise<void> {
    let version = this.version;
    for await (const page of this.services.log.readPages(this.sessionId, this.entries.at(-1)?.id)) {
      for (const entry of page) {
        version += 1;
        this.receiveEntry(version, entry);
      }
    }
  }

  /**
   * Decides on a command at the current version; appends nothing.
   * @throws DomainError when the command would be refused.
   */
  previewDecision(command: RandomChatCommand): Decision {
    return decide(command, this.state);
  }

  /**
   * Decides and appends, one command of this replica at a time. Resolves when the events have been applied and their
   * frames have been sent.
   * @param frame the client's frame that led to the command; its sender receives an ack in place of the event.
   * @throws DomainError when the command is refused; errors of Redis.
   */
  execute(command: RandomChatCommand, frame?: InboundFrame): Promise<ExecuteResult> {
    return this.executeInTurn(command, { frame });
  }

  /**
   * Like `execute`, but appends only if this user's deadline for returning to the chat has passed. Redis checks this
   * when it appends. Otherwise the result is `not_overdue`.
   * @throws DomainError when the command is refused; errors of Redis.
   */
  executeIfOverdue(command: RandomChatCommand, userId: number): Promise<ExecuteResult> {
    return this.executeInTurn(command, { ifOverdue: { userId } });
  }

  private async executeInTurn(command: RandomChatCommand, options: ExecuteOptions): Promise<ExecuteResult> {
    while (this.turn) await this.turn;
    // A refused or repeated command appends nothing, so it does not occupy the turn.
    const decision = decide(command, this.state);
    if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
    return this.occupyTurn(this.appendUntilDone(command, decision, options));
  }

  /**
   * Called when Redis has fewer entries than this replica, because it lost the tail of its append-only file. Appends
   * the lost entries again, including the end of the chat. If that is impossible, ends the chat for both users.
   */
  async repair(): Promise<void> {
    while (this.turn) await this.turn;
    await this.occupyTurn(this.restoreOrEnd());
  }

  /**
   * Ends the chat because Redis lost the record that a user is in it. If the chat has already ended, only reads the end
   * from the stream, because the publication of the end may be late.
   */
  async endAfterLostRecord(): Promise<void> {
    await this.catchUp();
    try {
      await this.execute({ type: 'EndLostChat' });
    } catch (error) {
      // `session_ended`: the append found that Redis has lost entries of the stream, and has ended the chat. A chat
      // that had ended before causes no error: `execute` then returns `already_done`.
      const isEnded = error instanceof DomainError && error.code === 'session_ended';
      if (!isEnded) throw error;
    }
  }

  /**
   * Handles a publication for this session on the replica's channel.
   * @param message `<version> <entry id> <event>`, `connection <user id> <state>` or `typing <user id>`.
   */
  receivePublication(message: string): void {
    // Only an entry begins with a digit: with its version. The other publications begin with a word.
    if (/^\d/.test(message)) {
      this.receivePublishedEntry(message);
      return;
    }
    const [kind, userIdText, connectionState] = message.split(' ');
    const userId = Number(userIdText);
    if (kind === 'connection') this.receiveConnectionState(userId, connectionState === 'connected');
    else if (kind === 'typing')
      this.sockets.sendToPartner(userId, 'typing', { sessionId: this.sessionId, userId });
  }

  /** From now on, the socket receives every event. The caller has already sent all earlier events to it. */
  attach(connection: SocketConnection): void {
    this.sockets.add(connection);
  }

  /** From now on, the socket receives no event of this chat. */
  detach(connection: SocketConnection): void {
    this.sockets.delete(connection);
  }

  /** Reads and stores whether a user is away. A publication that arrives during `read` is newer than its result. */
  async updateAway(userId: number, read: () => Promise<boolean>): Promise<void> {
    await this.awayUsers.update(userId, read);
  }

  /** Makes commands and repairs that start from now on wait until `work` has settled. */
  private occupyTurn<Result>(work: Promise<Result>): Promise<Result> {
    this.turn = work.then(this.endTurn, this.endTurn);
    return work;
  }

  /** Appends lost entries again. Ends the chat if that is not enough. @returns whether the chat continues. */
  private async restoreOrEnd(): Promise<boolean> {
    const restoration = await restoreTail(this.services.log, this.sessionId, this.entries);
    // Not after `restarted`: Redis then has all entries again, but has lost the records of the users.
    const isContinued = restoration === 'restored';
    this.services.metrics.recordTailOutcome(isContinued ? 'restored' : 'ended');
    if (!isContinued) await this.endLostChat();
    return isContinued;
  }

  /**
   * Called when the stream lacks entries that users of this replica have seen, or the records of the chat are lost.
   * Appends an end to the stream as Redis has it, which informs the partner's replica, and sends an end to the sockets
   * of this replica.
   */
  private async endLostChat(): Promise<void> {
    // Read before the append below, whose publication may end this chat.
    const { userIds, isEnded: wasEnded } = this;
    const storedChat = new LiveChat(this.sessionId, this.services);
    await storedChat.catchUp();
    await storedChat.execute({ type: 'EndLostChat' });
    // If the stream has the last entry known here at the same version, it continues what the sockets here have seen.
    const isContinuation = storedChat.entries[this.version - 1]?.id === this.entries.at(-1)?.id;
    this.hasDiverged = !isContinuation;
    // The sockets here have already received an end, and `ChatTailService` deletes the records.
    if (wasEnded) return;
    if (isContinuation) this.receiveEntriesAfter(0, storedChat.entries);
    else this.endLocally();
    await this.serving?.onChatLost(userIds);
  }

  /** Sends the sockets here an end that is not stored, because the stream differs from what they have seen. */
  private endLocally(): void {
    const chatEnded: RandomChatEvent = {
      type: 'ChatEnded',
      data: { reason: 'disconnected', endedBy: null },
    };
    const localEnd = { eventId: randomUUID(), event: chatEnded };
    const id = `${this.services.log.estimateRedisTimeMs()}-0`;
    this.addAndSend({ id, text: encodeEvent(localEnd) }, localEnd);
  }

  /**
   * Appends the events of a decision. Whenever another writer was faster, decides again on the basis of its events.
   * @param firstDecision the decision at the current version.
   * @throws DomainError when the command is refused, the outbox is full, the chat was lost, or another writer was
   * faster in every attempt.
   */
  private async appendUntilDone(
    command: RandomChatCommand,
    firstDecision: Decision,
    options: ExecuteOptions,
  ): Promise<ExecuteResult> {
    for (let attempt = 1; attempt <= MAX_APPEND_ATTEMPTS; attempt += 1) {
      const decision = attempt === 1 ? firstDecision : decide(command, this.state);
      if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
      const result = await this.tryAppend(decision.events, options);
      if (result) return result;
    }
    throw new DomainError('unavailable');
  }

  /**
   * Appends new events if the stream still ends where this chat ends.
   * @returns the result of the command, or null when it has to be decided again.
   */
  private async tryAppend(
    newEvents: readonly RandomChatEvent[],
    { frame, ifOverdue }: ExecuteOptions,
  ): Promise<ExecuteResult | null> {
    const includesEnd = newEvents.some(({ type }) => type === 'ChatEnded');
    // A chat can be ended even while Redis is nearly full.
    if (!includesEnd) this.services.requireMemory();
    const events = newEvents.map((event) => ({ eventId: randomUUID(), event }));
    const texts = events.map(encodeEvent);
    // An accepted command has a first event, which the ack reports. A second one is the end of the chat.
    const [firstEvent] = events;
    const version = this.version;
    const expectedStreamEnd = { version, lastId: this.entries.at(-1)?.id ?? '' };
    if (frame?.ref !== undefined) this.pendingAck = { frame, eventId: firstEvent?.eventId ?? '' };
    try {
      const result = await this.services.log.append(this.sessionId, expectedStreamEnd, texts, {
        ifOverdue,
        isEnd: includesEnd,
        exceptReplicaId: this.serving?.replicaId, // `applyAppendedEvents` does what a publication would do here
      });
      if (result.kind !== 'appended') return await this.handleFailedAppend(version, result);
      this.applyAppendedEvents(version, result.ids, texts, events);
      this.ackUnattachedSender(frame, firstEvent?.event, { id: result.ids[0] ?? '', seq: version + 1 });
      return { kind: 'appended', events };
    } finally {
      this.pendingAck = undefined;
    }
  }

  /**
   * @param version version of the chat before the append.
   * @returns the result of the command, or null when it has to be decided again.
   */
  private async handleFailedAppend(
    version: number,
    result: Exclude<AppendResult, { kind: 'appended' }>,
  ): Promise<ExecuteResult | null> {
    switch (result.kind) {
      case 'not_overdue':
        return { kind: 'not_overdue' };
      case 'outbox_full':
        throw new DomainError('unavailable');
      case 'behind': {
        this.services.metrics.recordConflict();
        const hasRedisLostEntries = result.version < version;
        if (!hasRedisLostEntries) this.receiveEntriesAfter(version, result.missed);
        else if (!(await this.restoreOrEnd())) throw new DomainError('session_ended');
        return null;
      }
      case 'diverged':
        // Redis has lost entries, and another writer has appended others since.
        await this.endLostChat();
        throw new DomainError('session_ended');
    }
  }

  /** @param version version of the chat before the appended events. */
  private applyAppendedEvents(
    version: number,
    ids: readonly string[],
    texts: readonly string[],
    events: readonly LoggedEvent[],
  ): void {
    for (const [index, id] of ids.entries()) {
      this.receiveEntry(version + index + 1, { id, text: texts[index] ?? '' }, events[index]);
    }
    if (!this.serving) this.services.retainTail(this);
  }

  /** @param entries the entries of the stream that follow `version`. */
  private receiveEntriesAfter(version: number, entries: readonly ChatLogEntry[]): void {
    for (const [index, entry] of entries.entries()) this.receiveEntry(version + index + 1, entry);
  }

  /** Sends the ack to a sender whose socket is not attached to the chat: `sendEvent` acks attached sockets only. */
  private ackUnattachedSender(
    frame: InboundFrame | undefined,
    event: RandomChatEvent | undefined,
    position: EventPosition,
  ): void {
    if (frame && event && !frame.isAnswered) frame.answer(buildAck(event, position, this));
  }

  /** @param message `<version> <entry id> <event>` */
  private receivePublishedEntry(message: string): void {
    const versionEnd = message.indexOf(' ');
    const version = Number(message.slice(0, versionEnd));
    if (version <= this.version) return; // known already; skips the copying below
    const idEnd = message.indexOf(' ', versionEnd + 1);
    this.receiveEntry(version, {
      id: message.slice(versionEnd + 1, idEnd),
      text: message.slice(idEnd + 1),
    });
  }

  /** @param decoded the entry's event, if it has been decoded already. */
  private receiveEntry(version: number, entry: ChatLogEntry, decoded?: DecodedEvent): void {
    if (version <= this.version) return;
    if (version > this.version + 1) {
      this.bufferedEntries.set(version, entry);
      this.gapFill ??= this.fillGap();
      return;
    }
    this.addAndSend(entry, decoded);
    let next = this.bufferedEntries.get(this.version + 1);
    while (next) {
      this.addAndSend(next);
      next = this.bufferedEntries.get(this.version + 1);
    }
  }

  /** Adds the next entry to the chat, which raises the version, and sends its event to the sockets. */
  private addAndSend(entry: ChatLogEntry, decoded?: DecodedEvent): void {
    const seq = this.version + 1;
    this.bufferedEntries.delete(seq);
    this.sendEvent(this.add(entry, decoded), { id: entry.id, seq });
  }

  private async fillGap(): Promise<void> {
    try {
      await this.catchUp();
    } catch (error) {
      // If Redis is unreachable, the next event or the next `compareVersions` of `LiveChatService` reads again.
      if (!isStoreFailure(error)) logger.error(error);
    } finally {
      this.gapFill = undefined;
      for (const seq of this.bufferedEntries.keys())
        if (seq <= this.version) this.bufferedEntries.delete(seq);
    }
  }

  /** Sends a folded event to every socket of the chat on this replica. */
  private sendEvent({ eventId, event }: DecodedEvent, position: EventPosition): void {
    if (!this.sockets.isEmpty) {
      const { log, metrics } = this.services;
      metrics.recordFanout(log.estimateRedisTimeMs() - parseOccurredAtMs(position));
      const commandFrame = this.pendingAck?.eventId === eventId ? this.pendingAck.frame : undefined;
      this.sockets.sendEvent(this, event, position, commandFrame);
    }
    if (this.isEnded) this.serving?.onEnded();
  }

  private receiveConnectionState(userId: number, isConnected: boolean): void {
    if (!this.awayUsers.receive(userId, !isConnected)) return;
    const state = isConnected ? 'connected' : 'reconnecting';
    this.sockets.sendToPartner(userId, 'partner_connection', { sessionId: this.sessionId, state });
  }
}
