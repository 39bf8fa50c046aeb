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
import type { EventPosition, RandomChatEvent } from '../domain/random-chat.events';
import type { Rates } from '../domain/random-chat.state';
import { encodeEvent, type LoggedEvent, type DecodedEvent } from './chat-event.codec';
import { AwayUsers } from './away-users.model';
import { buildAck } from './chat-frame.mapper';
import type { ChatMetricsRegistry } from './chat-metrics.registry';
import { restoreTail } from './chat-restore.functions';
import { ChatSockets } from './chat-sockets.model';
import { FoldedChat } from './folded-chat.model';

/** Attempts to append a command. An attempt fails when another writer of the stream was faster. */
const MAX_APPEND_ATTEMPTS = 8;

const [CODE_OF_0, CODE_OF_9] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

const logger = new Logger('LiveChat');

export type ExecuteResult =
  | { kind: 'appended'; events: readonly LoggedEvent[] }
  | { kind: 'already_done'; position: EventPosition }
  | { kind: 'not_overdue' };

/** Dependencies shared by all chats of this process. */
export interface LiveChatServices {
  log: ChatLogRepository;
  metrics: ChatMetricsRegistry;
  rates: Rates;
  /** @throws DomainError `unavailable` while Redis has too little memory for new data. */
  requireMemory(): void;
  /** Called when a chat that this replica does not serve was appended to, since Redis may lose the new entries. */
  retainTail(chat: LiveChat): void;
}

/** How a chat is served; undefined on a chat that was loaded for one read or command. */
export interface Serving {
  replicaId: string;
  /** Called when the end of the chat has been sent to the sockets. */
  onEnded(): void;
  /** Called when Redis lost the chat or its records. The stream has been ended; the records still have to be closed. */
  onLost(userIds: readonly number[]): Promise<void>;
}

/**
 * One chat on this replica: a cache of its stream and its sockets. Every event passes through `receiveEntry`, whether
 * it comes from an append, a publication or a read, and is sent to the sockets in order of version: known entries are
 * ignored, and a gap is filled before any later entry is sent.
 */
export class LiveChat extends FoldedChat {
  /** Out-of-order entries, buffered until the gap before them is filled. */
  private readonly buffered = new Map<number, ChatLogEntry>();
  /** The frame of the current command, if it wants an ack, and the uuid of the event that the ack reports. */
  private pendingReply: { eventId: string; frame: InboundFrame } | undefined;
  private readonly sockets = new ChatSockets();
  private readonly awayUsers = new AwayUsers();
  /** The command or repair in progress: one at a time. Waiting ones check again when it is done. */
  private turn: Promise<void> | undefined;
  private readonly endTurn = (): void => {
    this.turn = undefined;
  };
  /** The read that fills a gap, while it is in progress. */
  private filling: Promise<void> | undefined;

  constructor(
    sessionId: string,
    private readonly services: LiveChatServices,
    private readonly serving?: Serving,
  ) {
    super(sessionId, services.rates);
  }

  get isEmpty(): boolean {
    return this.sockets.isEmpty;
  }

  get connections(): Iterable<SocketConnection> {
    return this.sockets;
  }

  isAway(userId: number): boolean {
    return this.awayUsers.has(userId);
  }

  /** Reads new entries from the stream: at least those that existed when it was called. */
  async catchUp(): Promise<void> {
    let version = this.state.version;
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
   * Decides and appends, one command of this replica at a time. Resolves when the event has been applied and its
   * frames have been sent.
   * @param frame its sender receives an ack instead of the event.
   * @param ifOverdue appends only if the deadline of this user is overdue; otherwise the result is `not_overdue`.
   * @returns the outcome; for a repeated command, the position of the event of the first execution.
   * @throws DomainError when the command is refused.
   */
  async execute(
    command: RandomChatCommand,
    frame?: InboundFrame,
    ifOverdue?: { userId: number },
  ): Promise<ExecuteResult> {
    while (this.turn) await this.turn;
    const decision = decide(command, this.state);
    if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
    return this.runTurn(this.decideAndAppend(command, frame, ifOverdue, decision));
  }

  /**
   * Called when Redis has fewer entries than this replica, because it lost the tail of its append-only file. Appends
   * these entries again, including the end of the chat. If that is impossible, ends the chat for both users.
   */
  async repair(): Promise<void> {
    while (this.turn) await this.turn;
    await this.runTurn(this.restoreOrEnd());
  }

  /**
   * Ends the chat because Redis lost the record that a user is in it. If the chat has already ended, only reads its
   * end, whose publication may be late.
   */
  async endUnrecorded(): Promise<void> {
    await this.catchUp();
    try {
      await this.execute({ type: 'EndLostChat' });
    } catch (error) {
      const isEnded = error instanceof DomainError && error.code === 'session_ended';
      if (!isEnded) throw error;
    }
  }

  /**
   * Handles a publication for this session on the replica's channel.
   * @param message `<version> <entry id> <event>`, `connection <user id> <state>` or `typing <user id>`.
   */
  receivePublication(message: string): void {
    const firstCode = message.charCodeAt(0);
    const isEntry = firstCode >= CODE_OF_0 && firstCode <= CODE_OF_9;
    if (isEntry) {
      const versionEnd = message.indexOf(' ');
      const version = Number(message.slice(0, versionEnd));
      if (version <= this.state.version) return;
      const idEnd = message.indexOf(' ', versionEnd + 1);
      this.receiveEntry(version, {
        id: message.slice(versionEnd + 1, idEnd),
        text: message.slice(idEnd + 1),
      });
      return;
    }
    const [kind, user, connectionState] = message.split(' ');
    const userId = Number(user);
    if (kind === 'connection') this.receiveConnection(userId, connectionState === 'connected');
    else if (kind === 'typing')
      this.sockets.sendToPartner(userId, 'typing', { sessionId: this.sessionId, userId });
  }

  /** From now on, the socket receives every event. The caller has already sent it all earlier ones. */
  attach(connection: SocketConnection): void {
    this.sockets.add(connection);
  }

  /** From now on, the socket receives no event of this chat. */
  detach(connection: SocketConnection): void {
    this.sockets.delete(connection);
  }

  /** Reads whether a user is away, and stores it. */
  async updateAway(userId: number, read: () => Promise<boolean>): Promise<void> {
    await this.awayUsers.update(userId, read);
  }

  private runTurn<Result>(work: Promise<Result>): Promise<Result> {
    this.turn = work.then(this.endTurn, this.endTurn);
    return work;
  }

  /** @returns whether the stream in Redis now continues the entries of this replica. */
  private async restoreOrEnd(): Promise<boolean> {
    const restoration = await restoreTail(this.services.log, this.sessionId, this.entries);
    this.services.metrics.recordTail(restoration === 'restored' ? 'restored' : 'ended');
    if (restoration === 'restored') return true;
    await this.endLostChat();
    return false;
  }

  /**
   * Called when the stream lacks entries that users of this replica have seen, or the records of the chat are lost.
   * Ends the chat in the stream that Redis has, for the partner's replica, and for the sockets here.
   */
  private async endLostChat(): Promise<void> {
    const { userIds, isEnded } = this;
    const stored = new LiveChat(this.sessionId, this.services);
    await stored.catchUp();
    await stored.execute({ type: 'EndLostChat' });
    if (isEnded) return;
    if (stored.entries[this.version - 1]?.id === this.entries.at(-1)?.id) {
      for (const [index, entry] of stored.entries.entries()) this.receiveEntry(index + 1, entry);
    } else {
      const chatEnded: RandomChatEvent = {
        type: 'ChatEnded',
        data: { reason: 'disconnected', endedBy: null },
      };
      const end = { eventId: randomUUID(), event: chatEnded };
      const id = `${this.services.log.estimateRedisTimeMs()}-0`;
      this.sendEvent(this.add({ id, text: encodeEvent(end) }, end), { id, seq: this.version });
    }
    await this.serving?.onLost(userIds);
  }

  /**
   * Appends the events of a decision. If another writer was first, receives its events and decides again.
   * @param firstDecision the decision at the current version.
   * @throws DomainError when the command is refused, the chat was lost, or another writer was first in every attempt.
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
      const isEnd = decision.events.some(({ type }) => type === 'ChatEnded');
      if (!isEnd) this.services.requireMemory();
      const events = decision.events.map((event) => ({ eventId: randomUUID(), event }));
      const version = this.state.version;
      if (frame?.ref !== undefined) this.pendingReply = { eventId: events[0]?.eventId ?? '', frame };
      try {
        const texts = events.map(encodeEvent);
        const expectedEnd = { version, lastId: this.entries.at(-1)?.id ?? '' };
        const result = await this.services.log.append(this.sessionId, expectedEnd, texts, {
          ifOverdue,
          isEnd,
          exceptReplicaId: this.serving?.replicaId,
        });
        switch (result.kind) {
          case 'appended':
            this.applyAppended(version, result.ids, texts, events);
            this.answerUnattached(frame, events[0]?.event, { id: result.ids[0] ?? '', seq: version + 1 });
            return { kind: 'appended', events };
          case 'not_overdue':
            return { kind: 'not_overdue' };
          case 'outbox_full':
            throw new DomainError('unavailable');
          case 'behind':
            this.services.metrics.recordConflict();
            if (result.version >= version) this.receiveMissed(version, result.missed);
            else if (!(await this.restoreOrEnd())) throw new DomainError('session_ended');
            continue;
          case 'diverged':
            await this.endLostChat();
            throw new DomainError('session_ended');
        }
      } finally {
        this.pendingReply = undefined;
      }
    }
    throw new DomainError('unavailable');
  }

  /** @param version version of the chat before the appended events. */
  private applyAppended(
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
  private receiveMissed(version: number, missed: readonly ChatLogEntry[]): void {
    for (const [index, entry] of missed.entries()) this.receiveEntry(version + index + 1, entry);
  }

  /** Sends the ack to a sender whose socket is not attached to the chat: `sendEvent` acks attached sockets only. */
  private answerUnattached(
    frame: InboundFrame | undefined,
    event: RandomChatEvent | undefined,
    position: EventPosition,
  ): void {
    if (frame && event && !frame.isAnswered) frame.answer(buildAck(event, position, this));
  }

  /** @param decoded the entry's event, if it has been decoded already. */
  private receiveEntry(version: number, entry: ChatLogEntry, decoded?: DecodedEvent): void {
    if (version <= this.state.version) return;
    if (version > this.state.version + 1) {
      this.buffered.set(version, entry);
      this.filling ??= this.fillGap();
      return;
    }
    for (let next: ChatLogEntry | undefined = entry; next; next = this.buffered.get(this.state.version + 1)) {
      const seq = this.state.version + 1;
      this.buffered.delete(seq);
      this.sendEvent(this.add(next, next === entry ? decoded : undefined), { id: next.id, seq });
    }
  }

  private async fillGap(): Promise<void> {
    try {
      await this.catchUp();
    } catch (error) {
      // If Redis is unreachable, the next comparison of versions or the next event retries.
      if (!isStoreFailure(error)) logger.error(error);
    } finally {
      this.filling = undefined;
      for (const seq of this.buffered.keys()) if (seq <= this.version) this.buffered.delete(seq);
    }
  }

  /** Sends a folded event to every socket of the chat on this replica. */
  private sendEvent({ eventId, event }: DecodedEvent, position: EventPosition): void {
    if (!this.sockets.isEmpty) {
      const { log, metrics } = this.services;
      metrics.recordFanout(log.estimateRedisTimeMs() - Number.parseInt(position.id, 10));
      const request = this.pendingReply?.eventId === eventId ? this.pendingReply.frame : undefined;
      this.sockets.sendEvent(this, event, position, request);
    }
    if (this.isEnded) this.serving?.onEnded();
  }

  private receiveConnection(userId: number, isConnected: boolean): void {
    if (!this.awayUsers.receive(userId, !isConnected)) return;
    const state = isConnected ? 'connected' : 'reconnecting';
    this.sockets.sendToPartner(userId, 'partner_connection', { sessionId: this.sessionId, state });
  }
}
