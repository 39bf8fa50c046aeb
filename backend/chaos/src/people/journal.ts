import { parseImageMarkers } from '@thaw/contract/image-markers';
import { agree, type Fingerprint, ofFrame } from '../check/fingerprint';
import { type ChatRecord, emptyLog, type PersonLog } from '../check/logs';
import type { Frame } from './page-socket';

type Data = Record<string, unknown>;

/** A message of the current chat. */
export interface SeenMessage {
  id: string;
  senderId: number;
}

/** A game of the current chat. */
export interface SeenGame {
  gameId: string;
  questionId: number;
  hasAnswered: boolean;
}

const UNSTORED = new Set(['typing', 'partner_connection', 'session_resumed']);

/** How long after a return the end of a chat may take to arrive. */
const NOTIFIED_WITHIN_MS = 5_000;

/** Records what a user sees, as a page does, and reports at once what a page must never see. */
export class Journal {
  readonly log: PersonLog;
  current: ChatRecord | undefined;
  /** Messages of the current chat. */
  messages: SeenMessage[] = [];
  game: SeenGame | undefined;
  /** The last seq seen when the resume was requested; the resume must begin after it. */
  private askedFrom = 0;
  private isFreshSocket = true;
  private isResetting = false;

  constructor(
    readonly userId: number,
    private readonly onGap: () => void,
  ) {
    this.log = emptyLog(userId);
  }

  /** The `lastSeen` that a page sends when it authenticates. */
  lastSeen(): { sessionId: string; seq: number } | undefined {
    const { current } = this;
    this.askedFrom = current?.lastSeq ?? 0;
    return current && { sessionId: current.sessionId, seq: current.lastSeq };
  }

  /** Called for a new socket. */
  arriving(): void {
    this.isFreshSocket = true;
    this.isResetting = false;
  }

  complain(what: string): void {
    this.log.complaints.push({ at: Date.now(), what });
  }

  receive({ event, data, ref }: Frame): void {
    if (event === 'authenticated') this.arrived(String(data.state));
    if (event === 'private_message') this.receivePrivate(data);
    if (ref !== undefined || typeof data?.sessionId !== 'string') return;
    if (event === 'session_resumed') this.resume(data);
    else if (UNSTORED.has(event)) this.knownChat(data.sessionId, event);
    else if (typeof data.seq === 'number') this.store(event, data, data.seq);
  }

  /** Records the ack of a stored command. If it was already stored, `seq` is that of the earlier event. */
  acknowledge(sessionId: string, seq: number, fingerprint: Fingerprint, wasRetried: boolean): void {
    const chat = this.log.chats.get(sessionId);
    if (!chat) return this.complain(`an ack for the unknown chat ${sessionId}`);
    const known = chat.events.get(seq);
    if (seq > chat.lastSeq) {
      this.place(chat, seq, fingerprint, 'an ack');
    } else if (known !== undefined && !agree(known, fingerprint)) {
      // The ack of a retried command that was already stored may carry the present seq.
      const isThere = [...chat.events.values()].includes(fingerprint);
      if (!wasRetried || !isThere) {
        this.complain(`${sessionId}: acknowledged as ${seq} is ${fingerprint}, and there is ${known}`);
      }
      return;
    }
    chat.acks.push({ seq, fingerprint, at: Date.now() });
  }

  /** Records that the user has ended the chat. */
  ended(sessionId: string): void {
    const chat = this.log.chats.get(sessionId);
    if (chat) chat.endedAt ??= Date.now();
    if (this.current?.sessionId === sessionId) this.current = undefined;
  }

  private arrived(state: string): void {
    const { current } = this;
    if (!current || state === 'chatting') return;
    setTimeout(() => {
      if (this.current === current) {
        this.complain(`${current.sessionId}: was ${state} on return and not told that the chat has ended`);
        this.ended(current.sessionId);
      }
    }, NOTIFIED_WITHIN_MS).unref();
  }

  private knownChat(sessionId: string, event: string): ChatRecord | undefined {
    const chat = this.log.chats.get(sessionId);
    if (!chat) this.complain(`${event} of the foreign chat ${sessionId}`);
    return chat;
  }

  private begin(sessionId: string, partnerId: number): ChatRecord {
    if (this.current) {
      this.complain(`in two chats: ${this.current.sessionId} and ${sessionId}`);
    }
    const chat: ChatRecord = {
      sessionId,
      partnerId,
      events: new Map(),
      lastSeq: 0,
      acks: [],
      startedAt: Date.now(),
      resetAt: [],
      reopened: [],
      missesTail: false,
    };
    this.log.chats.set(sessionId, chat);
    this.current = chat;
    this.messages = [];
    this.game = undefined;
    this.askedFrom = 0;
    return chat;
  }

  /** Restarts the chat from its beginning, as the service has it now. The checker decides whether that is allowed. */
  private reopen(chat: ChatRecord, endedAt: number): void {
    const at = Date.now();
    chat.reopened.push({ endedAt, at });
    chat.resetAt.push(at);
    chat.endedAt = undefined;
    chat.events.clear();
    chat.lastSeq = 0;
    this.current = chat;
    this.messages = [];
    this.game = undefined;
    this.askedFrom = 0;
  }

  private resume(data: Data): void {
    const sessionId = String(data.sessionId);
    let chat = this.log.chats.get(sessionId);
    chat ??= this.begin(sessionId, Number(data.partnerId));
    if (chat.endedAt !== undefined) this.reopen(chat, chat.endedAt);
    if (data.reset === true && !this.isResetting) {
      this.isResetting = true;
      chat.resetAt.push(Date.now());
      chat.events.clear();
      chat.lastSeq = 0;
      this.askedFrom = 0;
      this.messages = [];
      this.game = undefined;
    }
    for (const frame of data.events as Frame[]) {
      const seq = Number(frame.data.seq);
      // Events between request and answer are in both, but only if this socket had already received them.
      const isOverlap = !this.isFreshSocket && seq <= chat.lastSeq && seq > this.askedFrom;
      if (!isOverlap) this.store(frame.event, frame.data, seq);
    }
    if (data.last !== true) return;
    if (Number(data.seq) > chat.lastSeq && chat === this.current) {
      this.complain(`${sessionId}: resumed up to ${Number(data.seq)}, but told only up to ${chat.lastSeq}`);
    }
    this.isFreshSocket = false;
    this.isResetting = false;
  }

  private store(event: string, data: Data, seq: number): void {
    const sessionId = String(data.sessionId);
    let chat = this.log.chats.get(sessionId);
    if (event === 'chat_matched') {
      if (!chat) {
        chat = this.begin(sessionId, Number(data.partnerId));
        this.isFreshSocket = false;
      } else if (chat.endedAt !== undefined) {
        this.reopen(chat, chat.endedAt);
      } else if (chat.partnerId !== Number(data.partnerId)) {
        this.complain(`${sessionId}: another partner, ${Number(data.partnerId)}`);
      }
    }
    if (!chat) return this.complain(`${event} of the foreign chat ${sessionId}`);
    this.checkContent(event, data, chat);
    if (event === 'chat_skipped') return this.end(chat, data, seq);
    this.place(chat, seq, ofFrame(event, data), event);
    this.remember(event, data);
  }

  private place(chat: ChatRecord, seq: number, fingerprint: Fingerprint, what: string): void {
    if (chat.endedAt !== undefined) this.complain(`${chat.sessionId}: ${what} ${seq} after the end`);
    if (seq <= chat.lastSeq) {
      const same = agree(chat.events.get(seq) ?? '', fingerprint);
      this.complain(
        `${chat.sessionId}: ${what} ${seq} delivered twice${same ? '' : ', with another content'}`,
      );
      return;
    }
    if (seq > chat.lastSeq + 1) {
      this.complain(`${chat.sessionId}: a gap, ${what} ${seq} came after ${chat.lastSeq}`);
      this.onGap();
    }
    chat.events.set(seq, fingerprint);
    chat.lastSeq = seq;
  }

  private end(chat: ChatRecord, data: Data, seq: number): void {
    if (chat.endedAt !== undefined) {
      // A page that missed the end on its last socket receives it again on return.
      if (!this.isFreshSocket) this.complain(`${chat.sessionId}: its end was told twice`);
      return;
    }
    if (seq > chat.lastSeq + 1) {
      if (!this.isFreshSocket)
        this.complain(`${chat.sessionId}: a gap, its end ${seq} came after ${chat.lastSeq}`);
      chat.missesTail = true;
    }
    // The end notice of a lost chat has no position in it.
    if (seq > chat.lastSeq) {
      chat.events.set(seq, ofFrame('chat_skipped', data));
      chat.lastSeq = seq;
    }
    this.ended(chat.sessionId);
  }

  private remember(event: string, data: Data): void {
    if (event === 'random_message') {
      this.messages.push({ id: String(data.id), senderId: Number(data.senderId) });
      if (this.messages.length > 20) this.messages.shift();
      if (data.messageType === 'mixed')
        for (const url of parseImageMarkers(String(data.content)).imageUrls) this.log.images.add(url);
    } else if (event === 'break_ice_question_received') {
      const questionId = Number((data.question as { id?: unknown }).id);
      this.game = { gameId: String(data.gameId), questionId, hasAnswered: false };
    } else if (event === 'break_ice_partner_responded_waiting' && this.game) {
      this.game.hasAnswered = true;
    } else if (event === 'break_ice_reveal_results' || event === 'break_ice_ignored') {
      this.game = undefined;
    }
  }

  /** Every message contains its session id and its sender. */
  private checkContent(event: string, data: Data, chat: ChatRecord): void {
    if (event !== 'random_message') return;
    const [sessionId, senderId] = String(data.content).split(' ');
    const isOurs = [this.userId, chat.partnerId].includes(Number(data.senderId));
    if (sessionId !== chat.sessionId || senderId !== String(data.senderId) || !isOurs) {
      this.complain(`${chat.sessionId}: a message of elsewhere: ${String(data.content)}`);
    }
  }

  private receivePrivate({ id, senderId, receiverId, content }: Data): void {
    if (senderId !== this.userId && receiverId !== this.userId) {
      this.complain(`a private message between ${String(senderId)} and ${String(receiverId)}`);
    }
    if (this.log.privateReceived.has(Number(id))) {
      this.complain(`the private message ${String(id)} was delivered twice`);
    }
    this.log.privateReceived.set(Number(id), String(content));
  }
}
