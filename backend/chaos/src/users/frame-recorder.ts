import { parseImageMarkers } from '@thaw/contract/image-markers';
import { doFingerprintsMatch, type Fingerprint, computeFrameFingerprint } from '../check/fingerprint';
import { type ChatRecord, createUserLog, type UserLog } from '../check/user-log';
import type { Frame } from './page-socket';

type Data = Record<string, unknown>;

/** A message of the current chat, to which reactions and edits refer. */
export interface SeenMessage {
  id: string;
  senderId: number;
}

/** A game of the current chat. */
export interface SeenGame {
  gameId: string;
  questionId: number;
  /** Whether this user has answered the question. */
  hasAnswered: boolean;
}

/** Frames about a chat that contain no stored event. */
const EPHEMERAL_EVENTS = new Set(['typing', 'partner_connection']);

/** Time within which the end of a chat must arrive after the user has reconnected. */
const END_TIMEOUT_MS = 5_000;
/** Number of messages of the current chat that are kept. */
const KEPT_MESSAGES = 20;

/**
 * Records the frames that a user receives, as a page does, and reports those that a page must never receive.
 *
 * The events of a chat are numbered from 1 (`seq`). After a reconnection the service resumes the chat:
 * `session_resumed` frames contain the events after the last one that the page has received. A resume with `reset`
 * contains all events of the chat and replaces those that were received before, because the stored chat has lost some
 * of them.
 */
export class FrameRecorder {
  readonly log: UserLog;
  /** The chat of the user; undefined while there is none. */
  currentChat: ChatRecord | undefined;
  /** The last messages of the current chat. */
  messages: SeenMessage[] = [];
  game: SeenGame | undefined;
  /** The last seq that was stated when a resume was requested. The resume contains the events after it. */
  private resumeAfterSeq = 0;
  /** Whether a chat was started or resumed on the current socket, which then receives its events. */
  private isSocketInChat = false;
  /** Whether the current resume is a reset whose first frame has arrived. */
  private isResetting = false;

  /** @param onGap called when an event is missing, to request a resume */
  constructor(
    readonly userId: number,
    private readonly onGap: () => void,
  ) {
    this.log = createUserLog(userId);
  }

  /**
   * Prepares for the resume that a frame `authenticate` requests.
   * @returns `lastSeen` of that frame: the event after which the service resumes the chat; undefined without a chat
   */
  prepareResume(): { sessionId: string; seq: number } | undefined {
    const { currentChat } = this;
    this.resumeAfterSeq = currentChat?.lastSeq ?? 0;
    return currentChat && { sessionId: currentChat.sessionId, seq: currentChat.lastSeq };
  }

  /** Called for a new socket. */
  startSocket(): void {
    this.isSocketInChat = false;
    this.isResetting = false;
  }

  reportProblem(description: string): void {
    this.log.problems.push({ noticedAt: Date.now(), description });
  }

  receive({ event, data, ref }: Frame): void {
    if (event === 'authenticated') this.checkStateAfterReconnect(String(data.state));
    if (event === 'private_message') this.receivePrivateMessage(data);
    // The rest is for frames about a chat. Acks, which have a `ref`, are recorded by `acknowledge` instead.
    if (ref !== undefined || typeof data?.sessionId !== 'string') return;
    if (event === 'session_resumed') this.receiveResume(data);
    else if (EPHEMERAL_EVENTS.has(event)) this.requireKnownChat(data.sessionId, event);
    else if (typeof data.seq === 'number') this.receiveStored(event, data, data.seq);
  }

  /**
   * Records the ack of a command whose event is stored.
   * @param seq position of the event, also if an earlier attempt has stored it. Only an edit or a reaction that an
   * earlier attempt has stored is acknowledged with the position of the latest event.
   * @param wasRetried an earlier attempt may have stored the event
   */
  acknowledge(sessionId: string, seq: number, fingerprint: Fingerprint, wasRetried: boolean): void {
    const chat = this.log.chats.get(sessionId);
    if (!chat) return this.reportProblem(`an ack for ${sessionId}, of which no event was received`);
    if (seq > chat.lastSeq) this.recordEvent(chat, seq, fingerprint, 'an ack');
    const knownFingerprint = chat.events.get(seq);
    if (knownFingerprint === undefined || doFingerprintsMatch(knownFingerprint, fingerprint)) {
      chat.acks.push({ seq, fingerprint, ackedAt: Date.now() });
      return;
    }
    // The seq is that of another event. The ack is not added to `acks`, which are compared with the stores by seq.
    const wasStoredEarlier = wasRetried && [...chat.events.values()].includes(fingerprint);
    if (!wasStoredEarlier) {
      this.reportProblem(
        `${sessionId}: acknowledged as ${seq} is ${fingerprint}, and there is ${knownFingerprint}`,
      );
    }
  }

  /** Records that the chat has ended. */
  markEnded(sessionId: string): void {
    const chat = this.log.chats.get(sessionId);
    if (chat) chat.endedAt ??= Date.now();
    if (this.currentChat?.sessionId === sessionId) this.currentChat = undefined;
  }

  /** If the service says that the user is in no chat, the end of the current chat must arrive. */
  private checkStateAfterReconnect(state: string): void {
    const { currentChat } = this;
    if (!currentChat || state === 'chatting') return;
    setTimeout(() => {
      if (this.currentChat !== currentChat) return;
      this.reportProblem(
        `${currentChat.sessionId}: was ${state} on return and not notified that the chat has ended`,
      );
      this.markEnded(currentChat.sessionId);
    }, END_TIMEOUT_MS).unref();
  }

  private requireKnownChat(sessionId: string, event: string): void {
    if (!this.log.chats.has(sessionId)) this.reportProblem(`${event} of the unknown chat ${sessionId}`);
  }

  private startChat(sessionId: string, partnerId: number): ChatRecord {
    if (this.currentChat) {
      this.reportProblem(`in two chats: ${this.currentChat.sessionId} and ${sessionId}`);
    }
    const chat: ChatRecord = {
      sessionId,
      partnerId,
      events: new Map(),
      lastSeq: 0,
      acks: [],
      startedAt: Date.now(),
      resetTimes: [],
      reopenings: [],
    };
    this.log.chats.set(sessionId, chat);
    this.currentChat = chat;
    this.forgetContent();
    return chat;
  }

  /** Called before the events of the current chat arrive from the first one on. */
  private forgetContent(): void {
    this.messages = [];
    this.game = undefined;
    this.resumeAfterSeq = 0;
  }

  /** Discards the events of a chat, because the service sends all of them again. */
  private resetChat(chat: ChatRecord, resetAt: number): void {
    chat.resetTimes.push(resetAt);
    chat.events.clear();
    chat.lastSeq = 0;
    this.forgetContent();
  }

  /** Records that a chat continues after its end. The checker decides whether a fault explains this. */
  private reopenChat(chat: ChatRecord, endedAt: number): void {
    const reopenedAt = Date.now();
    chat.reopenings.push({ endedAt, reopenedAt });
    chat.endedAt = undefined;
    this.currentChat = chat;
    this.resetChat(chat, reopenedAt);
  }

  /** Receives one frame of a resume. A long resume has several. */
  private receiveResume(data: Data): void {
    const sessionId = String(data.sessionId);
    const chat = this.log.chats.get(sessionId) ?? this.startChat(sessionId, Number(data.partnerId));
    if (chat.endedAt !== undefined) this.reopenChat(chat, chat.endedAt);
    if (data.reset === true && !this.isResetting) {
      this.isResetting = true;
      this.resetChat(chat, Date.now());
    }
    for (const frame of data.events as Frame[]) {
      const seq = Number(frame.data.seq);
      if (!this.hasArrivedSinceRequest(chat, seq)) this.receiveStored(frame.event, frame.data, seq);
    }
    if (data.last === true) this.finishResume(chat, Number(data.seq));
  }

  /**
   * Whether an event of a resume has already arrived in its own frame, after the resume was requested. Only a socket in
   * the chat receives such frames.
   */
  private hasArrivedSinceRequest(chat: ChatRecord, seq: number): boolean {
    return this.isSocketInChat && this.resumeAfterSeq < seq && seq <= chat.lastSeq;
  }

  /** @param latestSeq the latest event of the chat, up to which the service has resumed it */
  private finishResume(chat: ChatRecord, latestSeq: number): void {
    const isOpen = chat === this.currentChat;
    if (isOpen && latestSeq > chat.lastSeq) {
      this.reportProblem(
        `${chat.sessionId}: resumed up to ${latestSeq}, but received only up to ${chat.lastSeq}`,
      );
    }
    this.isSocketInChat = true;
    this.isResetting = false;
  }

  /** Starts the chat, or reopens it after its end. Nothing changes if it is open. */
  private receiveMatch(sessionId: string, partnerId: number): void {
    const chat = this.log.chats.get(sessionId);
    if (!chat) {
      this.startChat(sessionId, partnerId);
      this.isSocketInChat = true;
    } else if (chat.endedAt !== undefined) {
      this.reopenChat(chat, chat.endedAt);
    } else if (chat.partnerId !== partnerId) {
      this.reportProblem(`${sessionId}: another partner, ${partnerId}`);
    }
  }

  private receiveStored(event: string, data: Data, seq: number): void {
    const sessionId = String(data.sessionId);
    if (event === 'chat_matched') this.receiveMatch(sessionId, Number(data.partnerId));
    const chat = this.log.chats.get(sessionId);
    if (!chat) return this.reportProblem(`${event} of the unknown chat ${sessionId}`);
    this.checkContent(event, data, chat);
    if (event === 'chat_skipped') return this.receiveEnd(chat, data, seq);
    this.recordEvent(chat, seq, computeFrameFingerprint(event, data), event);
    this.updateChat(event, data);
  }

  /** @param source the event of the frame, or `an ack`, for descriptions of problems */
  private recordEvent(chat: ChatRecord, seq: number, fingerprint: Fingerprint, source: string): void {
    if (chat.endedAt !== undefined) this.reportProblem(`${chat.sessionId}: ${source} ${seq} after the end`);
    if (seq <= chat.lastSeq) {
      // No event is known for a seq that was skipped in a gap. Its late event counts as another content.
      const isSame = doFingerprintsMatch(chat.events.get(seq) ?? '', fingerprint);
      this.reportProblem(
        `${chat.sessionId}: ${source} ${seq} delivered twice${isSame ? '' : ', with another content'}`,
      );
      return;
    }
    if (seq > chat.lastSeq + 1) {
      this.reportProblem(`${chat.sessionId}: a gap, ${source} ${seq} came after ${chat.lastSeq}`);
      this.onGap();
    }
    chat.events.set(seq, fingerprint);
    chat.lastSeq = seq;
  }

  private receiveEnd(chat: ChatRecord, data: Data, seq: number): void {
    if (chat.endedAt !== undefined) {
      // On a new socket the service sends the end again if the page may have missed it.
      if (this.isSocketInChat) this.reportProblem(`${chat.sessionId}: its end was delivered twice`);
      return;
    }
    // On a new socket, the end of a past chat arrives without the events that the page has missed before it.
    if (this.isSocketInChat && seq > chat.lastSeq + 1)
      this.reportProblem(`${chat.sessionId}: a gap, its end ${seq} came after ${chat.lastSeq}`);
    // If Redis has lost the chat, the service does not know the seq of the end, and may send that of another event.
    if (seq > chat.lastSeq) {
      chat.events.set(seq, computeFrameFingerprint('chat_skipped', data));
      chat.lastSeq = seq;
    }
    this.markEnded(chat.sessionId);
  }

  private updateChat(event: string, data: Data): void {
    if (event === 'random_message') {
      this.messages.push({ id: String(data.id), senderId: Number(data.senderId) });
      if (this.messages.length > KEPT_MESSAGES) this.messages.shift();
      if (data.messageType === 'mixed')
        for (const url of parseImageMarkers(String(data.content)).imageUrls) this.log.images.add(url);
    } else if (event === 'break_ice_question_received') {
      const questionId = Number((data.question as { id?: unknown }).id);
      this.game = { gameId: String(data.gameId), questionId, hasAnswered: false };
    } else if (event === 'break_ice_partner_responded_waiting' && this.game) {
      // Despite its name, this frame confirms the user's own answer; the partner receives `break_ice_partner_answered`.
      this.game.hasAnswered = true;
    } else if (event === 'break_ice_reveal_results' || event === 'break_ice_ignored') {
      this.game = undefined;
    }
  }

  /** Every message that the simulated users send begins with the ids of its session and its sender. */
  private checkContent(event: string, data: Data, chat: ChatRecord): void {
    if (event !== 'random_message') return;
    const [sessionId, senderId] = String(data.content).split(' ');
    const isFromParticipant = [this.userId, chat.partnerId].includes(Number(data.senderId));
    if (sessionId !== chat.sessionId || senderId !== String(data.senderId) || !isFromParticipant) {
      this.reportProblem(`${chat.sessionId}: a message of another chat: ${String(data.content)}`);
    }
  }

  private receivePrivateMessage({ id, senderId, receiverId, content }: Data): void {
    if (senderId !== this.userId && receiverId !== this.userId) {
      this.reportProblem(`a private message between ${String(senderId)} and ${String(receiverId)}`);
    }
    if (this.log.privateReceived.has(Number(id))) {
      this.reportProblem(`the private message ${String(id)} was delivered twice`);
    }
    this.log.privateReceived.set(Number(id), String(content));
  }
}
