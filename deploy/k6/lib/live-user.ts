import { clearTimeout, setTimeout } from 'k6/timers';
import { WebSocket } from 'k6/websockets';
import type { ClientEvent, ClientInput } from '../../../contract/src/client-frames.ts';
import type { ChatMatched, SessionResumed } from '../../../contract/src/random-chat.ts';
import type { ServerEvent, ServerFrame } from '../../../contract/src/server-frames.ts';
import type { Account } from './account.ts';
import { countError, roundTrip, timeToResume, unacked } from './metrics.ts';
import { Sequence } from './sequence.ts';
import { socketUrl } from './settings.ts';

/** Any frame from the server. The `data` of an `ack` depends on the acknowledged command. */
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

interface PendingRequest {
  event: ClientEvent;
  sentAt: number;
  timer: number;
  resolve: (frame: Frame | undefined) => void;
}
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
  /** The commands that wait for their responses, by `ref`. */
  private readonly pending = new Map<string, PendingRequest>();
  /** The calls of `waitFor` that wait for a frame. */
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
   * @returns the response, which is the frame with the same ref (an ack, an error or another frame); undefined without
   *   a connection or a response
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
      // `onclose` follows and resolves the promise.
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
    // `connect` has not returned yet, and its caller decides about another attempt.
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
    this.updateChat(frame);
    if (frame.event === 'error')
      countError(String(frame.data.code), this.pending.get(frame.ref ?? '')?.event);
    this.resolveRequest(frame);
    this.onFrame(frame);
    for (const waiter of [...this.waiters]) {
      if (waiter.event === frame.event && waiter.matches(frame)) waiter.resolve(frame);
    }
  }

  private resolveRequest(frame: Frame): void {
    const request = frame.ref === undefined ? undefined : this.pending.get(frame.ref);
    if (!request || frame.ref === undefined) return;
    this.pending.delete(frame.ref);
    clearTimeout(request.timer);
    roundTrip.add(Date.now() - request.sentAt);
    request.resolve(frame);
  }

  private updateChat({ event, data, ref }: Frame): void {
    if (event === 'chat_matched') return this.startChat(data as ChatMatched);
    if (event === 'session_resumed') return this.resumeChat(data as SessionResumed);
    const { chat } = this;
    if (!chat || typeof data.seq !== 'number') return;
    // An ack has no session id.
    if (event !== 'ack' && data.sessionId !== chat.sessionId) return;
    if (event !== 'chat_skipped') {
      const command = event === 'ack' ? ` of ${this.pending.get(ref ?? '')?.event}` : '';
      return chat.sequence.record(data.seq, `${event}${command} in ${chat.sessionId}`);
    }
    // If the chat ended before it was resumed, the server sends its end without the other missed events. The chat is
    // forgotten first, so that `endChat` counts none of them as lost.
    if (this.isResuming) this.chat = undefined;
    else chat.sequence.record(data.seq, `${event} in ${chat.sessionId}`);
    this.isResuming = false;
    this.endChat();
  }

  private startChat({ sessionId, seq, partnerId }: ChatMatched): void {
    this.endChat();
    this.chat = { sessionId, partnerId, sequence: new Sequence(seq) };
  }

  private resumeChat({ sessionId, seq, partnerId, reset, events, last: isLastFrame }: SessionResumed): void {
    if (this.chat?.sessionId !== sessionId || reset) {
      // The chat is not known here, or the server has reset `seq`: begin before the first event of this frame. A frame
      // without events contains the last `seq` of the chat.
      const firstSeq = (events[0]?.data as { seq?: number } | undefined)?.seq;
      const startSeq = firstSeq === undefined ? seq : firstSeq - 1;
      this.chat = { sessionId, partnerId, sequence: new Sequence(startSeq) };
    }
    for (const { event, data } of events) {
      const source = `${event} of session_resumed in ${sessionId}`;
      this.chat.sequence.record((data as { seq: number }).seq, source);
    }
    if (isLastFrame) this.isResuming = false;
    // The chat ended while it was being resumed.
    if (events.at(-1)?.event === 'chat_skipped') this.endChat();
  }
}
