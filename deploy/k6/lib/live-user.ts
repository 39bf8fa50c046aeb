import { clearTimeout, setTimeout } from 'k6/timers';
import { WebSocket } from 'k6/websockets';
import type { ClientEvent, ClientInput } from '../../../contract/src/client-frames.ts';
import type { ChatMatched, SessionResumed } from '../../../contract/src/random-chat.ts';
import type { ServerEvent, ServerFrame } from '../../../contract/src/server-frames.ts';
import type { Account } from './account.ts';
import { countError, roundTrip, timeToResume, unacked } from './metrics.ts';
import { Sequence } from './sequence.ts';
import { socketUrl } from './settings.ts';

/** Any frame from the server, as parsed JSON. The `data` of an `ack` depends on the acknowledged command. */
export interface Frame {
  event: string;
  ref?: string;
  data: Record<string, unknown>;
}

/** The chat that a user is in. */
export interface CurrentChat {
  sessionId: string;
  partnerId: number;
  sequence: Sequence;
}

const RESPONSE_TIMEOUT_MS = 10_000;
/** The waiting times before the attempts to reconnect, the same as those of the web client. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/**
 * The close code of a socket that is dropped on purpose. The server treats it as a lost connection and waits longer for
 * the user than after 1000 or 1001 (docs/product-decisions.md, A51).
 */
const LOST_CONNECTION_CODE = 4000;
const NORMAL_CODE = 1000;

/** A command that waits for its response. */
interface PendingRequest {
  event: ClientEvent;
  sentAt: number;
  timer: number;
  resolve: (frame: Frame | undefined) => void;
}

/** A call of `waitFor` that waits for a frame. */
interface Waiter {
  event: string;
  matches: (frame: Frame) => boolean;
  resolve: (frame: Frame | undefined) => void;
}

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });

/**
 * A user with one socket, like the web client. Reconnects when the socket is lost, checks the sequence of the chat's
 * events, and lets scripts wait for responses and other frames.
 */
export class LiveUser {
  chat: CurrentChat | undefined;
  /** Called for every frame, after `chat` is updated. */
  onFrame: (frame: Frame) => void = () => undefined;
  private socket: WebSocket | undefined;
  private refCount = 0;
  /** By `ref`. */
  private readonly pending = new Map<string, PendingRequest>();
  private readonly waiters = new Set<Waiter>();
  private isAuthenticated = false;
  /** True from the loss of a socket until the server has resumed the chat or reported its end. */
  private isResuming = false;
  private hasLeft = false;

  constructor(readonly account: Account) {}

  get id(): number {
    return this.account.id;
  }

  /**
   * Opens a socket and authenticates. If a chat is known, requests the events after the last one received.
   * @returns the state of the user (such as `idle` or `chatting`), or undefined if the connection failed
   */
  async connect(): Promise<string | undefined> {
    const isOpen = await this.openSocket();
    if (!isOpen) return undefined;
    const { chat } = this;
    const lastSeen = chat && { sessionId: chat.sessionId, seq: chat.sequence.last };
    const response = await this.request('authenticate', { userId: this.id, lastSeen });
    if (response?.event !== 'authenticated') return undefined;
    this.isAuthenticated = true;
    // Without a chat, the server sends no `session_resumed`. `this.chat` is read again, because frames that arrived
    // before the response may have changed it.
    if (!this.chat) this.isResuming = false;
    return String(response.data.state);
  }

  /**
   * Reconnects like the web client, and measures the time from the loss of the connection.
   * @returns whether one of the attempts succeeded
   */
  async reconnect(): Promise<boolean> {
    const lostAt = Date.now();
    for (const delayMs of RETRY_DELAYS_MS) {
      await wait(delayMs);
      if (this.hasLeft) return false;
      if ((await this.connect()) === undefined) continue;
      timeToResume.add(Date.now() - lostAt);
      return true;
    }
    countError('not_reconnected');
    return false;
  }

  /**
   * Sends a command.
   * @returns the response (an ack, an error or another frame); undefined without a connection or a response
   */
  request<E extends ClientEvent>(event: E, data: ClientInput<E>): Promise<Frame | undefined> {
    const { socket } = this;
    const isReady = this.isAuthenticated || event === 'authenticate';
    if (!socket || !isReady) return Promise.resolve(undefined);
    this.refCount += 1;
    const ref = String(this.refCount);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pending.delete(ref);
        unacked.add(1, { event });
        resolve(undefined);
      }, RESPONSE_TIMEOUT_MS);
      this.pending.set(ref, { event, sentAt: Date.now(), timer, resolve });
      socket.send(JSON.stringify({ event, data, ref }));
    });
  }

  /** Sends a frame that has no response. */
  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.isAuthenticated) this.socket?.send(JSON.stringify({ event, data }));
  }

  /** Waits for a frame. @returns its data, or undefined after `withinMs`. */
  waitFor<E extends ServerEvent>(
    event: E,
    withinMs: number,
    matches: (data: ServerFrame<E>['data']) => boolean = () => true,
  ): Promise<ServerFrame<E>['data'] | undefined> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        event,
        matches: (frame) => matches(frame.data as ServerFrame<E>['data']),
        resolve: (frame) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve(frame?.data as ServerFrame<E>['data'] | undefined);
        },
      };
      const timer = setTimeout(() => waiter.resolve(undefined), withinMs);
      this.waiters.add(waiter);
    });
  }

  /**
   * Closes the socket like a lost connection: the chat stays open during the grace period. The caller reconnects with
   * `connect`.
   */
  dropSocket(): void {
    this.isResuming = true;
    this.closeSocket(LOST_CONNECTION_CODE);
  }

  /** Closes the socket without a reconnect, and forgets the chat. */
  leave(): void {
    this.hasLeft = true;
    this.closeSocket(NORMAL_CODE);
    this.endChat();
  }

  /** Forgets the chat. Events that are missing before the last one that arrived count as lost. */
  endChat(): void {
    this.chat?.sequence.finish();
    this.chat = undefined;
  }

  /** @returns whether the socket has opened */
  private openSocket(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = new WebSocket(socketUrl, null, { headers: { Cookie: this.account.cookie } });
      this.socket = socket;
      socket.onopen = () => resolve(true);
      socket.onmessage = (message) => {
        if (socket === this.socket) this.receive(JSON.parse(message?.data as string) as Frame);
      };
      // Does not resolve the promise, because `onclose` follows.
      socket.onerror = () => this.handleClose(socket);
      socket.onclose = () => {
        resolve(false);
        this.handleClose(socket);
      };
    });
  }

  private closeSocket(code: number): void {
    const { socket } = this;
    this.releaseSocket();
    socket?.close(code);
  }

  private handleClose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    const wasAuthenticated = this.isAuthenticated;
    this.releaseSocket();
    // Before the authentication, `connect` has not returned yet, and its caller decides about another attempt.
    if (!wasAuthenticated) return;
    this.isResuming = true;
    void this.reconnect();
  }

  /** Forgets the socket. Commands in flight resolve to undefined and do not count as unacknowledged. */
  private releaseSocket(): void {
    this.socket = undefined;
    this.isAuthenticated = false;
    for (const { timer, resolve } of this.pending.values()) {
      clearTimeout(timer);
      resolve(undefined);
    }
    this.pending.clear();
  }

  private receive(frame: Frame): void {
    // Frames such as `pong` have no data.
    frame.data ??= {};
    const request = this.takeRequest(frame.ref);
    this.updateChat(frame, request?.event);
    if (frame.event === 'error') countError(String(frame.data.code), request?.event);
    request?.resolve(frame);
    this.onFrame(frame);
    for (const waiter of [...this.waiters]) {
      if (waiter.event === frame.event && waiter.matches(frame)) waiter.resolve(frame);
    }
  }

  /** Removes the command with this `ref` from the pending ones, and measures its round trip. */
  private takeRequest(ref: string | undefined): PendingRequest | undefined {
    if (ref === undefined) return undefined;
    const request = this.pending.get(ref);
    if (!request) return undefined;
    this.pending.delete(ref);
    clearTimeout(request.timer);
    roundTrip.add(Date.now() - request.sentAt);
    return request;
  }

  /** @param command the command that the frame answers, if any */
  private updateChat({ event, data }: Frame, command: ClientEvent | undefined): void {
    if (event === 'chat_matched') return this.startChat(data as ChatMatched);
    if (event === 'session_resumed') return this.resumeChat(data as SessionResumed);
    const { chat } = this;
    if (!chat || typeof data.seq !== 'number') return;
    // An ack has no session id.
    const isOfThisChat = event === 'ack' || data.sessionId === chat.sessionId;
    if (!isOfThisChat) return;
    if (event === 'chat_skipped') return this.receiveEnd(chat, data.seq);
    const source = event === 'ack' ? `ack of ${command}` : event;
    chat.sequence.record(data.seq, `${source} in ${chat.sessionId}`);
  }

  private receiveEnd(chat: CurrentChat, seq: number): void {
    if (this.isResuming) {
      // The chat ended before it was resumed. The server sends the end without the other missed events, so they do not
      // count as lost: the chat is forgotten without `endChat`.
      this.chat = undefined;
      this.isResuming = false;
      return;
    }
    chat.sequence.record(seq, `chat_skipped in ${chat.sessionId}`);
    this.endChat();
  }

  private startChat({ sessionId, seq, partnerId }: ChatMatched): void {
    this.endChat();
    this.chat = { sessionId, partnerId, sequence: new Sequence(seq) };
  }

  private resumeChat(resumed: SessionResumed): void {
    const { sessionId, partnerId, reset, events, last: isLastFrame } = resumed;
    // The chat is not known here, or the server knows only a lower `seq` than was received.
    if (this.chat?.sessionId !== sessionId || reset)
      this.chat = { sessionId, partnerId, sequence: new Sequence(findSeqBeforeEvents(resumed)) };
    for (const { event, data } of events) {
      const source = `${event} of session_resumed in ${sessionId}`;
      this.chat.sequence.record((data as { seq: number }).seq, source);
    }
    if (isLastFrame) this.isResuming = false;
    // The chat ended while it was being resumed.
    if (events.at(-1)?.event === 'chat_skipped') this.endChat();
  }
}

/** Returns the `seq` before the first event of the frame; without events, the last `seq` of the chat. */
const findSeqBeforeEvents = ({ seq: lastSeq, events }: SessionResumed): number => {
  const firstSeq = (events[0]?.data as { seq?: number } | undefined)?.seq;
  return firstSeq === undefined ? lastSeq : firstSeq - 1;
};
