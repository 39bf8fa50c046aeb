import { parseImageMarkers } from '@thaw/contract/image-markers';
import { agree, type Fingerprint, ofFrame } from '../check/fingerprint';
import { type ChatRecord, emptyLog, type PersonLog } from '../check/logs';
import type { Frame } from './page-socket';

type Data = Record<string, unknown>;

/** A message of the chat that is going on. */
export interface SeenMessage {
  id: string;
  senderId: number;
}

/** A game of the chat that is going on. */
export interface SeenGame {
  gameId: string;
  questionId: number;
  hasAnswered: boolean;
}

const UNSTORED = new Set(['typing', 'partner_connection', 'session_resumed']);

/** How long after an arrival a person may be left without word of a chat that has ended. */
const TOLD_WITHIN_MS = 5_000;

/** Keeps what a person sees, as a page does, and complains at once about what a page must never see. */
export class Journal {
  readonly log: PersonLog;
  current: ChatRecord | undefined;
  /** Of the current chat. */
  messages: SeenMessage[] = [];
  game: SeenGame | undefined;
  /** A resume has to begin after this: what was seen when it was asked for. */
  private askedFrom = 0;
  private isFreshSocket = true;
  private isResetting = false;

  constructor(
    readonly userId: number,
    private readonly onGap: () => void,
  ) {
    this.log = emptyLog(userId);
  }

  /** What a page says that it has seen, when it authenticates. */
  lastSeen(): { sessionId: string; seq: number } | undefined {
    const { current } = this;
    this.askedFrom = current?.lastSeq ?? 0;
    return current && { sessionId: current.sessionId, seq: current.lastSeq };
  }

  /** There is a new socket. */
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

  /** An ack for something that was stored; where it was stored before, with the seq of then. */
  acknowledge(sessionId: string, seq: number, fingerprint: Fingerprint, wasRetried: boolean): void {
    const chat = this.log.chats.get(sessionId);
    if (!chat) return this.complain(`an ack for the unknown chat ${sessionId}`);
    const known = chat.events.get(seq);
    if (seq > chat.lastSeq) {
      this.place(chat, seq, fingerprint, 'an ack');
    } else if (known !== undefined && !agree(known, fingerprint)) {
      // Of a retried command that is there already the answer may be the present seq.
      const isThere = [...chat.events.values()].includes(fingerprint);
      if (!wasRetried || !isThere) {
        this.complain(`${sessionId}: acknowledged as ${seq} is ${fingerprint}, and there is ${known}`);
      }
      return;
    }
    chat.acks.push({ seq, fingerprint, at: Date.now() });
  }

  /** The person has ended the chat. */
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
    }, TOLD_WITHIN_MS).unref();
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

  /** The chat goes on from its beginning, as the service has it now. Whether that may be, the checker knows. */
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
      // What came between the question and the answer is in both, but only where the socket had been told already.
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
      // Told again on arrival to a page that had not seen it on its last socket.
      if (!this.isFreshSocket) this.complain(`${chat.sessionId}: its end was told twice`);
      return;
    }
    if (seq > chat.lastSeq + 1) {
      if (!this.isFreshSocket)
        this.complain(`${chat.sessionId}: a gap, its end ${seq} came after ${chat.lastSeq}`);
      chat.missesTail = true;
    }
    // The notice of a chat that is lost has no place in it.
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

  /** Every message names its chat and its sender. */
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
