import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { closeCodes, shouldReconnectAfter } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export type ConnectionStatus =
  | { kind: 'closed' }
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'retrying'; attempt: number }
  /** Reconnecting was given up; `canReconnect` is false while the server refuses new connections. */
  | { kind: 'failed'; canReconnect: boolean };

/** The part of WebSocket that the client uses. */
export type SocketLike = Pick<
  WebSocket,
  'readyState' | 'onopen' | 'onmessage' | 'onclose' | 'send' | 'close'
>;

export interface SocketClientOptions {
  connect: () => SocketLike;
  clock: Clock;
  /** Parses a frame of the contract; undefined when it is unknown or invalid. */
  parse: (data: unknown) => ServerFrame | undefined;
  /** Called on each opening, because the data contains the last seq received. */
  authentication: () => ClientInput<'authenticate'>;
  /** After a close with 4401: asks the server once who is signed in. True when signed out. */
  isSignedOut: () => Promise<boolean>;
  onSignedOut: () => void;
  onStatus: (status: ConnectionStatus) => void;
  onFrame: (frame: ServerFrame) => void;
  /** The connection was lost and is open again: cached data may be stale. */
  onReopened?: () => void;
  log: (message: string, detail?: unknown) => void;
}

interface Pending {
  settle: (outcome: { data: Record<string, unknown> } | { error: SocketRequestError }) => void;
  timer: number;
  isProbe: boolean;
}

export interface RequestOptions {
  timeoutMs?: number;
  /** Called with the ack before the next frame is handled, unlike the continuation of the promise. */
  onAck?: (data: Record<string, unknown>) => void;
}

const OPEN = 1;
const ackTimeoutMs = 10_000;
const pongTimeoutMs = 10_000;
/** A longer handshake counts as a lost connection. */
const connectTimeoutMs = 10_000;
/** After a command, silence of this length starts a probe, which fails after the same time. */
const silenceBeforeProbeMs = 3_000;

/**
 * The single connection of this page. Connects between `start` and `stop`, reconnects by the rules of A140,
 * authenticates and pings. Independent of features: handles only the contract's frames.
 */
export class SocketClient {
  private socket: SocketLike | undefined;
  private running = false;
  private attempt = 0;
  private wasOpen = false;
  private nextRef = 1;
  private readonly pending = new Map<string, Pending>();
  private retryTimer: number | undefined;
  private pingTimer: number | undefined;
  private uptimeTimer: number | undefined;
  private connectTimer: number | undefined;
  private silenceTimer: number | undefined;
  /** Frames received on the current socket, including invalid ones: each shows that the connection works. */
  private receivedCount = 0;
  private status: ConnectionStatus = { kind: 'closed' };

  constructor(private readonly options: SocketClientOptions) {}

  get isOpen(): boolean {
    return this.status.kind === 'open';
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.attempt = 0;
    this.wasOpen = false;
    this.open();
  }

  /** Closes the connection on logout, with a normal close and without a reconnect. */
  stop(): void {
    if (!this.running) return;
    this.running = false;
    this.drop(closeCodes.normal);
    this.setStatus({ kind: 'closed' });
  }

  /** Called by the Reconnect button: starts a new series of attempts at once. */
  reconnect(): void {
    if (!this.running || this.status.kind !== 'failed' || !this.status.canReconnect) return;
    this.attempt = 0;
    this.open();
  }

  /**
   * The browser is online again, or the page was woken up. After giving up, makes one attempt; between attempts,
   * connects at once; while open, probes the connection.
   */
  wake(): void {
    if (!this.running) return;
    if (this.status.kind === 'failed' && this.status.canReconnect) {
      // One attempt only; when it fails, the Reconnect button is shown again.
      this.attempt = limits.reconnectAttempts;
      this.open();
    } else if (this.status.kind === 'retrying' && this.retryTimer !== undefined) {
      this.open();
    } else if (this.isOpen) {
      this.ping(silenceBeforeProbeMs);
    }
  }

  /** Sends without waiting for a response. Returns false, and logs, when not connected. */
  send<E extends ClientEvent>(event: E, data: ClientInput<E>): boolean {
    if (!this.isOpen || this.socket?.readyState !== OPEN) {
      this.options.log(`Not connected: ${event} was not sent`);
      return false;
    }
    this.socket.send(JSON.stringify({ event, data }));
    return true;
  }

  /**
   * Sends and resolves with the ack.
   * @throws SocketRequestError when not connected, refused, disconnected, or unanswered in time.
   */
  request<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    options: RequestOptions = {},
  ): Promise<Record<string, unknown>> {
    if (!this.isOpen) {
      this.options.log(`Not connected: ${event} was not sent`);
      return Promise.reject(new SocketRequestError('not_connected'));
    }
    return this.requestOn(event, data, options);
  }

  /** A frame is missing: requests everything after the last seq received. */
  resync(): void {
    if (this.isOpen) this.authenticate();
  }

  private requestOn<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    { timeoutMs = ackTimeoutMs, onAck }: RequestOptions,
  ): Promise<Record<string, unknown>> {
    const { clock } = this.options;
    const socket = this.socket;
    if (socket?.readyState !== OPEN) return Promise.reject(new SocketRequestError('not_connected'));
    const ref = String(this.nextRef++);
    return new Promise((resolve, reject) => {
      const settle: Pending['settle'] = (outcome) => {
        this.pending.delete(ref);
        clock.clearTimeout(timer);
        if ('error' in outcome) return reject(outcome.error);
        onAck?.(outcome.data);
        resolve(outcome.data);
      };
      const timer = clock.setTimeout(() => settle({ error: new SocketRequestError('timeout') }), timeoutMs);
      this.pending.set(ref, { settle, timer, isProbe: event === 'ping' });
      socket.send(JSON.stringify({ event, data, ref }));
      if (event !== 'ping') this.watchForSilence();
    });
  }

  private open(): void {
    const { clock, connect, log } = this.options;
    clock.clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.setStatus(this.attempt === 0 ? { kind: 'connecting' } : { kind: 'retrying', attempt: this.attempt });
    const socket = connect();
    this.socket = socket;
    this.connectTimer = clock.setTimeout(() => {
      log('The connection was not established in time');
      this.lost(closeCodes.abnormal);
    }, connectTimeoutMs);
    socket.onopen = () => {
      if (socket !== this.socket) return;
      clock.clearTimeout(this.connectTimer);
      this.authenticate();
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (socket !== this.socket) return;
      this.receivedCount += 1;
      const frame = this.options.parse(data);
      if (frame) this.receive(frame);
      else log('An unknown or broken frame was dropped', data);
      this.watchForSilence();
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.lost(code);
    };
  }

  private authenticate(): void {
    const socket = this.socket;
    this.requestOn('authenticate', this.options.authentication(), {
      timeoutMs: limits.authenticateTimeoutMs,
    }).catch((error: unknown) => {
      // A socket that cannot authenticate counts as lost.
      if (socket !== this.socket || !this.running) return;
      if (error instanceof SocketRequestError && error.failure === 'closed') return;
      this.options.log('The connection was not accepted', error);
      this.lost(closeCodes.abnormal);
    });
  }

  private receive(frame: ServerFrame): void {
    if (frame.event === 'authenticated' && !this.isOpen) this.opened();
    const pending = frame.ref === undefined ? undefined : this.pending.get(frame.ref);
    if (pending) {
      if (frame.event === 'error') {
        const { code, retryAfterMs } = frame.data;
        pending.settle({ error: new SocketRequestError('refused', code, retryAfterMs) });
      } else {
        pending.settle({ data: frame.data ?? {} });
      }
      if (frame.event === 'ack' || frame.event === 'error' || frame.event === 'pong') return;
    }
    if (frame.event === 'error') this.options.log(`The server refused: ${frame.data.code}`, frame.data);
    this.options.onFrame(frame);
  }

  private opened(): void {
    const { clock } = this.options;
    const again = this.wasOpen;
    this.wasOpen = true;
    this.setStatus({ kind: 'open' });
    this.uptimeTimer = clock.setTimeout(() => {
      this.attempt = 0;
    }, limits.reconnectResetAfterMs);
    this.schedulePing();
    if (again) this.options.onReopened?.();
  }

  private schedulePing(): void {
    const { clock } = this.options;
    clock.clearTimeout(this.pingTimer);
    this.pingTimer = clock.setTimeout(() => {
      this.ping();
      this.schedulePing();
    }, limits.pingIntervalMs);
  }

  /** Pings, and drops the connection when no frame at all arrives within `timeoutMs`. */
  private ping(timeoutMs = pongTimeoutMs): void {
    const socket = this.socket;
    const receivedCount = this.receivedCount;
    this.requestOn('ping', {}, { timeoutMs }).catch((error: unknown) => {
      const isUnanswered = error instanceof SocketRequestError && error.failure === 'timeout';
      const isSilent = receivedCount === this.receivedCount;
      if (isUnanswered && isSilent && socket === this.socket) this.lost(closeCodes.abnormal);
    });
  }

  /**
   * Probes after a silence while a command is unanswered: otherwise a half-open connection would seem open for a
   * minute.
   */
  private watchForSilence(): void {
    const { clock } = this.options;
    clock.clearTimeout(this.silenceTimer);
    this.silenceTimer = undefined;
    const isAwaited = [...this.pending.values()].some(({ isProbe }) => !isProbe);
    if (!this.isOpen || !isAwaited) return;
    this.silenceTimer = clock.setTimeout(() => this.ping(silenceBeforeProbeMs), silenceBeforeProbeMs);
  }

  /** Detaches from the current socket; its later events are ignored. */
  private drop(code?: number): void {
    const { clock } = this.options;
    const socket = this.socket;
    this.socket = undefined;
    const { retryTimer, pingTimer, uptimeTimer, connectTimer, silenceTimer } = this;
    for (const timer of [retryTimer, pingTimer, uptimeTimer, connectTimer, silenceTimer])
      clock.clearTimeout(timer);
    this.retryTimer = this.pingTimer = this.uptimeTimer = this.connectTimer = this.silenceTimer = undefined;
    const error = new SocketRequestError('closed');
    for (const pending of [...this.pending.values()]) pending.settle({ error });
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close(code);
    }
  }

  private lost(code: number): void {
    this.drop();
    if (!this.running) return;
    if (code === closeCodes.notSignedIn) return this.refusedAsUnknown();
    if (code === closeCodes.flooding) return this.failForAWhile();
    if (!shouldReconnectAfter(code)) return this.setStatus({ kind: 'failed', canReconnect: true });
    this.retry();
  }

  private retry(): void {
    if (this.attempt >= limits.reconnectAttempts) {
      return this.setStatus({ kind: 'failed', canReconnect: true });
    }
    this.attempt += 1;
    this.setStatus({ kind: 'retrying', attempt: this.attempt });
    this.retryTimer = this.options.clock.setTimeout(() => this.open(), reconnectDelayMs(this.attempt));
  }

  /**
   * Handles a close with 4401: the server does not recognize the session cookie. Another tab may have just replaced it
   * after a change of password or e-mail (A02), so a user who is still signed in reconnects, with the delays and the
   * limit of any lost connection.
   */
  private refusedAsUnknown(): void {
    const { isSignedOut, onSignedOut, log } = this.options;
    const asking: ConnectionStatus = { kind: 'failed', canReconnect: false };
    this.setStatus(asking);
    isSignedOut().then(
      (signedOut) => {
        if (this.status !== asking) return;
        if (signedOut) onSignedOut();
        else this.retry();
      },
      (error: unknown) => {
        log('Could not ask who is signed in', error);
        if (this.status === asking) this.setStatus({ kind: 'failed', canReconnect: true });
      },
    );
  }

  private failForAWhile(): void {
    this.setStatus({ kind: 'failed', canReconnect: false });
    this.retryTimer = this.options.clock.setTimeout(() => {
      this.retryTimer = undefined;
      this.setStatus({ kind: 'failed', canReconnect: true });
    }, pageLimits.reconnectAfterFloodMs);
  }

  private setStatus(status: ConnectionStatus): void {
    this.status = status;
    this.options.onStatus(status);
  }
}
