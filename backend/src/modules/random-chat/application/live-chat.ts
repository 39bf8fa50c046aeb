import { randomUUID } from 'node:crypto';
import { limits } from '@thaw/contract/limits';
import { questionById } from '@thaw/contract/questions';
import type { Question, Reactions } from '@thaw/contract/random-chat';
import { DomainError } from '../../../platform/errors/domain-error';
import type { ChatLog, ChatLogEntry } from '../../../platform/hot-log/chat-log';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame';
import type { SocketConnection } from '../../../platform/realtime/socket-connection';
import type { Decision } from '../domain/decision';
import type { RandomChatCommand } from '../domain/random-chat.commands';
import { decide } from '../domain/random-chat.decider';
import type { EventPosition, RandomChatEvent } from '../domain/random-chat.events';
import { evolve, initialState, partnerOf, type RandomChatState } from '../domain/random-chat.state';
import { decodeEvent, encodeEvent, type LoggedEvent } from './chat-event-codec';
import {
  ackOf,
  type ChatFrame,
  endData,
  frameOf,
  isFrameForSenderToo,
  isSameForBoth,
  reactionsOf,
} from './chat-frames';

const ATTEMPTS = 8;

export interface Applied {
  event: RandomChatEvent;
  position: EventPosition;
}

/**
 * One chat as this replica serves it: a cache of its stream, its sockets here, and the one place through which
 * every event reaches them, in order of version. Own appends, the channel and reads all feed it; what it has is
 * ignored, and a hole is filled before anything later goes out.
 */
export class LiveChat {
  private state: RandomChatState = initialState();
  private readonly entries: ChatLogEntry[] = [];
  /** Heard before what comes before it. */
  private readonly early = new Map<number, ChatLogEntry>();
  /** The frame of the command in hand, if it wants an answer, and the uuid of the event that will be it. */
  private awaited: { eventId: string; frame: InboundFrame } | undefined;
  private readonly sockets = new Set<SocketConnection>();
  private readonly away = new Set<number>();
  /** The command in hand; those that wait look again when it is done. */
  private turn: Promise<void> | undefined;
  private readonly endTurn = (): void => {
    this.turn = undefined;
  };
  private filling: Promise<void> | undefined;

  constructor(
    readonly sessionId: string,
    private readonly log: ChatLog,
    private readonly onEnded: (chat: LiveChat) => void,
    /** The replica, where this is how it serves the chat, and not a look at it alone. */
    private readonly replicaId?: string,
  ) {}

  get version(): number {
    return this.state.version;
  }

  get isEnded(): boolean {
    return this.state.phase === 'ended';
  }

  get isEmpty(): boolean {
    return this.sockets.size === 0;
  }

  get connections(): Iterable<SocketConnection> {
    return this.sockets;
  }

  get userIds(): number[] {
    return this.state.participants.map(({ id }) => id);
  }

  /** What a client that has not seen the end is sent; null while the chat goes on. */
  get endFrame(): Extract<ChatFrame, { event: 'chat_skipped' }> | null {
    const { ended } = this.state;
    return ended && { event: 'chat_skipped', data: endData(this.sessionId, ended.seq, ended) };
  }

  reactionsOf(messageId: string): Reactions {
    return reactionsOf(this.state, messageId);
  }

  /** The question of the game that is being played, if it is this game. */
  questionOf(gameId: string): Question | undefined {
    const { game } = this.state;
    return game?.gameId === gameId ? questionById(game.questionId) : undefined;
  }

  hasParticipant(userId: number): boolean {
    return this.userIds.includes(userId);
  }

  /** Reads what is new in the stream; afterwards nothing is missing that was there before the call. */
  async catchUp(): Promise<void> {
    const version = this.state.version;
    const entries = await this.log.read(this.sessionId, this.entries.at(-1)?.id);
    for (const [index, entry] of entries.entries()) this.receive(version + index + 1, entry);
  }

  /**
   * Decides and appends, one command of this replica at a time. Resolves when the event has been applied, hence
   * after its frames have gone out.
   * @param frame whose sender is acknowledged in place of being sent the event.
   * @returns what came of it; for something that had happened before, where it stands.
   * @throws DomainError when refused.
   */
  async execute(
    command: RandomChatCommand,
    frame?: InboundFrame,
    claim?: { userId: number },
  ): Promise<Executed> {
    while (this.turn) await this.turn;
    const decision = decide(command, this.state);
    if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
    const result = this.decideAndAppend(command, frame, claim, decision);
    this.turn = result.then(this.endTurn, this.endTurn);
    return result;
  }

  /** What arrives on the replica's channel for this session. */
  hear(message: string): void {
    const kind = message.charCodeAt(0);
    if (kind >= 48 && kind <= 57) {
      const afterVersion = message.indexOf(' ');
      const version = Number(message.slice(0, afterVersion));
      if (version <= this.state.version) return;
      const afterId = message.indexOf(' ', afterVersion + 1);
      this.receive(version, {
        id: message.slice(afterVersion + 1, afterId),
        text: message.slice(afterId + 1),
      });
      return;
    }
    const [what, user, detail] = message.split(' ');
    const userId = Number(user);
    if (what === 'c') this.hearConnection(userId, detail === 'connected');
    else if (what === 't') this.sendToPartnerOf(userId, 'typing', { sessionId: this.sessionId, userId });
  }

  /**
   * A socket joins at the beginning, and is sent everything as plain frames.
   * @param isPartnerAway the partner was in the chat and has left since; nothing more is published about that.
   */
  join(connection: SocketConnection, isPartnerAway = false): void {
    const { userId } = connection.identity;
    for (const frame of this.framesFor(userId, 0)) connection.send(JSON.stringify(frame));
    const partner = partnerOf(this.state, userId);
    if (isPartnerAway && partner && !this.isEnded) {
      this.away.add(partner.id);
      connection.sendFrame('partner_connection', { sessionId: this.sessionId, state: 'reconnecting' });
    }
    this.sockets.add(connection);
  }

  /** A socket comes back, and is sent what it has not seen as `session_resumed`. */
  resume(connection: SocketConnection, seen: number, isPartnerThere: boolean): void {
    const { userId } = connection.identity;
    const partner = partnerOf(this.state, userId);
    if (!partner) return;
    if (isPartnerThere) this.away.delete(partner.id);
    else this.away.add(partner.id);
    const base = {
      sessionId: this.sessionId,
      partnerId: partner.id,
      partnerInfo: { ...partner, isOnline: isPartnerThere },
      partnerConnection: isPartnerThere ? ('connected' as const) : ('reconnecting' as const),
    };
    let seq = Math.min(seen, this.version);
    for (const { frames, isLast } of pages(this.framesFor(userId, seen))) {
      seq += frames.length;
      connection.sendFrame('session_resumed', { ...base, seq, events: frames, last: isLast });
    }
    this.sockets.add(connection);
  }

  has(connection: SocketConnection): boolean {
    return this.sockets.has(connection);
  }

  leave(connection: SocketConnection): void {
    this.sockets.delete(connection);
  }

  /**
   * Redis has less than this replica (it lost the tail of its append-only file): the tail is appended again, if
   * nobody has gone on without it. Otherwise the chat ends here, with word to those who are in it.
   * @param version what Redis has.
   */
  async restore(version: number): Promise<boolean> {
    const lastId = this.entries[version - 1]?.id;
    const end = { version, lastId: lastId ?? '' };
    if (lastId && (await this.log.restore(this.sessionId, end, this.entries.slice(version)))) return true;
    this.endLost();
    return false;
  }

  private endLost(): void {
    if (this.isEnded) return;
    const ended: RandomChatEvent = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } };
    this.apply(
      { eventId: randomUUID(), event: ended },
      { id: `${Date.now()}-0`, seq: this.state.version + 1 },
    );
  }

  private async decideAndAppend(
    command: RandomChatCommand,
    frame: InboundFrame | undefined,
    claim: { userId: number } | undefined,
    first: Decision,
  ): Promise<Executed> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      // Somebody was faster: what was decided upon is the past, and is decided again.
      const decision = attempt === 1 ? first : decide(command, this.state);
      if ('alreadyDone' in decision) return { kind: 'already_done', position: decision.alreadyDone };
      const events = decision.events.map((event) => ({ eventId: randomUUID(), event }));
      const version = this.state.version;
      if (frame?.ref !== undefined) this.awaited = { eventId: events[0]?.eventId ?? '', frame };
      try {
        const texts = events.map(encodeEvent);
        const end = { version, lastId: this.entries.at(-1)?.id ?? '' };
        const result = await this.log.append(this.sessionId, end, texts, {
          claim,
          toldReplicaId: this.replicaId,
        });
        switch (result.kind) {
          case 'appended':
            for (const [index, id] of result.ids.entries()) {
              this.receive(version + index + 1, { id, text: texts[index] ?? '' }, events[index]);
            }
            this.answerStranger(frame, events[0]?.event, { id: result.ids[0] ?? '', seq: version + 1 });
            return { kind: 'appended' };
          case 'claim_lost':
            return { kind: 'claim_lost' };
          case 'outbox_full':
            throw new DomainError('unavailable');
          case 'behind':
            if (result.version < version) {
              if (await this.restore(result.version)) continue;
              throw new DomainError('session_ended');
            }
            for (const [index, entry] of result.missed.entries()) this.receive(version + index + 1, entry);
            continue;
          case 'diverged':
            break;
        }
        this.endLost();
        throw new DomainError('session_ended');
      } finally {
        this.awaited = undefined;
      }
    }
    throw new DomainError('unavailable');
  }

  /** A socket that the chat does not serve was not answered with the event; it is now. */
  private answerStranger(
    frame: InboundFrame | undefined,
    event: RandomChatEvent | undefined,
    position: EventPosition,
  ): void {
    if (frame && event && !frame.isAnswered) frame.answer(ackOf(event, position, this.state));
  }

  /** @param logged the entry's event, where it is at hand. */
  private receive(version: number, entry: ChatLogEntry, logged?: LoggedEvent): void {
    if (version <= this.state.version) return;
    if (version > this.state.version + 1) {
      this.early.set(version, entry);
      this.filling ??= this.fillHole();
      return;
    }
    for (let next: ChatLogEntry | undefined = entry; next; next = this.early.get(this.state.version + 1)) {
      const seq = this.state.version + 1;
      this.early.delete(seq);
      this.entries.push(next);
      this.apply(next === entry && logged ? logged : decodeEvent(next.text), { id: next.id, seq });
    }
  }

  private async fillHole(): Promise<void> {
    try {
      await this.catchUp();
    } catch {
      // Redis is away; the comparison of tops, or what comes next, tries again.
    } finally {
      this.filling = undefined;
      if (this.early.size > 0)
        for (const seq of this.early.keys()) if (seq <= this.version) this.early.delete(seq);
    }
  }

  private apply({ eventId, event }: LoggedEvent, position: EventPosition): void {
    this.state = evolve(this.state, event, position);
    const answered = this.awaited?.eventId === eventId ? this.awaited.frame : undefined;
    const textFor = ({ identity: { userId } }: SocketConnection): string =>
      JSON.stringify(frameOf(this.sessionId, event, position, this.state, userId));
    let textForBoth: string | undefined;
    for (const connection of this.sockets) {
      if (answered?.connection === connection) {
        answered.answer(ackOf(event, position, this.state));
        if (!isFrameForSenderToo(event)) continue;
      }
      connection.send(isSameForBoth(event) ? (textForBoth ??= textFor(connection)) : textFor(connection));
    }
    if (this.isEnded) this.onEnded(this);
  }

  private hearConnection(userId: number, isConnected: boolean): void {
    if (this.away.has(userId) === !isConnected) return;
    if (isConnected) this.away.delete(userId);
    else this.away.add(userId);
    const state = isConnected ? 'connected' : 'reconnecting';
    this.sendToPartnerOf(userId, 'partner_connection', { sessionId: this.sessionId, state });
  }

  private sendToPartnerOf<E extends 'typing' | 'partner_connection'>(
    userId: number,
    event: E,
    data: Extract<ChatFrame, { event: E }>['data'],
  ): void {
    const text = JSON.stringify({ event, data });
    for (const connection of this.sockets) if (connection.identity.userId !== userId) connection.send(text);
  }

  private framesFor(userId: number, seen: number): ChatFrame[] {
    const frames: ChatFrame[] = [];
    let state = initialState();
    for (const [index, entry] of this.entries.entries()) {
      const { event } = decodeEvent(entry.text);
      const position = { id: entry.id, seq: index + 1 };
      state = evolve(state, event, position);
      if (position.seq > seen) frames.push(frameOf(this.sessionId, event, position, state, userId));
    }
    return frames;
  }
}

export type Executed =
  { kind: 'appended' } | { kind: 'already_done'; position: EventPosition } | { kind: 'claim_lost' };

/** Frames in pages that stay below the largest resume frame; one page, maybe empty, at least. */
const pages = (frames: readonly ChatFrame[]): { frames: ChatFrame[]; isLast: boolean }[] => {
  const budget = limits.resumeFrameMaxBytes - 2_048; // what stands around the events
  const result: ChatFrame[][] = [[]];
  let size = 0;
  for (const frame of frames) {
    const bytes = Buffer.byteLength(JSON.stringify(frame)) + 1;
    if (size + bytes > budget && size > 0) {
      result.push([]);
      size = 0;
    }
    result.at(-1)?.push(frame);
    size += bytes;
  }
  return result.map((page, index) => ({ frames: page, isLast: index === result.length - 1 }));
};
