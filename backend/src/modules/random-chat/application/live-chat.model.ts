import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { isStoreFailure } from '../../../platform/errors/store-failure.errors';
import type { ChatLogRepository, ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';
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
 * Attempts to append a command. An attempt fails when another replica was faster. While both users of a chat send as
 * fast as they can, a replica may lose many times in a row: before it decides again, it has to apply the events of the
 * other replica, which appends further events in that time.
 */
const MAX_APPEND_ATTEMPTS = 64;

const [CODE_OF_0, CODE_OF_9] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

const logger = new Logger('LiveChat');

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
  /** The frame of the current command if its sender expects an ack, and the id of the event that the ack reports. */
  private pendingAck: { eventId: string; frame: InboundFrame } | undefined;
  /** Whether the stream in Redis has other entries than this copy, which therefore cannot restore anything. */
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
      for (const entry of page) this.receiveEntry((version += 1), entry);
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
    return this.executeInTurn(command, frame, undefined);
  }

  /**
   * Like `execute`, but appends only if the deadline by which this user had to return is still overdue when Redis
   * appends. Otherwise the result is `not_overdue`.
   * @throws DomainError when the command is refused; errors of Redis.
   */
  executeIfOverdue(command: RandomChatCommand, userId: number): Promise<ExecuteResult> {
    return this.executeInTurn(command, undefined, { userId });
  }

  private async executeInTurn(
    command: RandomChatCommand,
    frame: InboundFrame | undefined,
    ifOverdue: { userId: number } | undefined,
  ): Promise<ExecuteResult> {
    while (this.turn) await this.turn;
    // A refused or repeated command appends nothing, so it does not occupy the turn.
    const decision = decide(command, this.state);
    if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
    return this.occupyTurn(this.decideAndAppend(command, frame, ifOverdue, decision));
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
      // The append found that Redis had lost the stream, and has ended the chat for this reason. A chat that had ended
      // before causes no error: `execute` then returns `already_done`.
      const isEnded = error instanceof DomainError && error.code === 'session_ended';
      if (!isEnded) throw error;
    }
  }

  /**
   * Handles a publication for this session on the replica's channel.
   * @param message `<version> <entry id> <event>`, `connection <user id> <state>` or `typing <user id>`.
   */
  receivePublication(message: string): void {
    // An entry begins with its version, and so with a digit; the other publications begin with a word.
    const firstCode = message.charCodeAt(0);
    const isEntry = firstCode >= CODE_OF_0 && firstCode <= CODE_OF_9;
    if (isEntry) {
      const versionEnd = message.indexOf(' ');
      const version = Number(message.slice(0, versionEnd));
      if (version <= this.version) return;
      const idEnd = message.indexOf(' ', versionEnd + 1);
      this.receiveEntry(version, {
        id: message.slice(versionEnd + 1, idEnd),
        text: message.slice(idEnd + 1),
      });
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

  /**
   * Stores whether a user is away, as `read` reports it. Publications that arrive during `read` win over its result.
   */
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
    // Only `restored` continues the chat. Another result, `restarted`, means that Redis has all entries again, but has
    // lost the records of the users.
    this.services.metrics.recordTailOutcome(restoration === 'restored' ? 'restored' : 'ended');
    if (restoration === 'restored') return true;
    await this.endLostChat();
    return false;
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
    // The sockets here have received an end before. `ChatTailService` deletes the records of a chat that had ended.
    if (wasEnded) return;
    if (isContinuation) {
      for (const [index, entry] of storedChat.entries.entries()) this.receiveEntry(index + 1, entry);
    } else {
      // The stream differs from what the sockets here have seen. They get an end of their own, which is not stored.
      const chatEnded: RandomChatEvent = {
        type: 'ChatEnded',
        data: { reason: 'disconnected', endedBy: null },
      };
      const localEnd = { eventId: randomUUID(), event: chatEnded };
      const id = `${this.services.log.estimateRedisTimeMs()}-0`;
      const added = this.add({ id, text: encodeEvent(localEnd) }, localEnd); // raises the version
      this.sendEvent(added, { id, seq: this.version });
    }
    await this.serving?.onChatLost(userIds);
  }

  /**
   * Appends the events of a decision. If another writer was faster, receives its events and decides again.
   * @param firstDecision the decision at the current version.
   * @throws DomainError when the command is refused, the outbox is full, the chat was lost, or another writer was
   * faster in every attempt.
   */
  private async decideAndAppend(
    command: RandomChatCommand,
    frame: InboundFrame | undefined,
    ifOverdue: { userId: number } | undefined,
    firstDecision: Decision,
  ): Promise<ExecuteResult> {
    for (let attempt = 1; attempt <= MAX_APPEND_ATTEMPTS; attempt += 1) {
      // After the first attempt, another writer has changed the version on which the decision was based.
      const decision = attempt === 1 ? firstDecision : decide(command, this.state);
      if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
      const includesEnd = decision.events.some(({ type }) => type === 'ChatEnded');
      // A chat can be ended even while Redis is nearly full.
      if (!includesEnd) this.services.requireMemory();
      const events = decision.events.map((event) => ({ eventId: randomUUID(), event }));
      // An accepted command has a first event, which the ack reports. A second one is the end of the chat.
      const [firstEvent] = events;
      const version = this.version;
      if (frame?.ref !== undefined) this.pendingAck = { eventId: firstEvent?.eventId ?? '', frame };
      try {
        const texts = events.map(encodeEvent);
        const expectedStreamEnd = { version, lastId: this.entries.at(-1)?.id ?? '' };
        const result = await this.services.log.append(this.sessionId, expectedStreamEnd, texts, {
          ifOverdue,
          isEnd: includesEnd,
          exceptReplicaId: this.serving?.replicaId, // `applyAppendedEvents` does what a publication would do here
        });
        switch (result.kind) {
          case 'appended':
            this.applyAppendedEvents(version, result.ids, texts, events);
            this.ackUnattachedSender(frame, firstEvent?.event, { id: result.ids[0] ?? '', seq: version + 1 });
            return { kind: 'appended', events };
          case 'not_overdue':
            return { kind: 'not_overdue' };
          case 'outbox_full':
            throw new DomainError('unavailable');
          case 'behind':
            this.services.metrics.recordConflict();
            // Either this chat is behind the stream, or the stream is behind this chat: Redis has lost entries.
            if (result.version >= version) this.receiveMissedEntries(version, result.missed);
            else if (!(await this.restoreOrEnd())) throw new DomainError('session_ended');
            continue;
          case 'diverged':
            // Redis has lost entries, and another writer has appended others since.
            await this.endLostChat();
            throw new DomainError('session_ended');
        }
      } finally {
        this.pendingAck = undefined;
      }
    }
    throw new DomainError('unavailable');
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

  /** @param version version of the chat before the missed entries. */
  private receiveMissedEntries(version: number, missed: readonly ChatLogEntry[]): void {
    for (const [index, entry] of missed.entries()) this.receiveEntry(version + index + 1, entry);
  }

  /** Sends the ack to a sender whose socket is not attached to the chat: `sendEvent` acks attached sockets only. */
  private ackUnattachedSender(
    frame: InboundFrame | undefined,
    event: RandomChatEvent | undefined,
    position: EventPosition,
  ): void {
    if (frame && event && !frame.isAnswered) frame.answer(buildAck(event, position, this));
  }

  /** @param decoded the entry's event, if it has been decoded already. */
  private receiveEntry(version: number, entry: ChatLogEntry, decoded?: DecodedEvent): void {
    if (version <= this.version) return;
    if (version > this.version + 1) {
      this.bufferedEntries.set(version, entry);
      this.gapFill ??= this.fillGap();
      return;
    }
    // Handles the entry, and then the buffered entries that directly follow it.
    for (
      let next: ChatLogEntry | undefined = entry;
      next;
      next = this.bufferedEntries.get(this.version + 1)
    ) {
      const seq = this.version + 1;
      this.bufferedEntries.delete(seq);
      this.sendEvent(this.add(next, next === entry ? decoded : undefined), { id: next.id, seq });
    }
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
