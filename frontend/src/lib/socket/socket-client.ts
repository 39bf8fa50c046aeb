import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { closeCodes, isRetriedClose } from '@thaw/contract/close-codes';
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
  /** Given up; `canReconnect` is false while the server wants to be left alone. */
  | { kind: 'failed'; canReconnect: boolean };

/** What the client needs of a WebSocket. */
export type SocketLike = Pick<
  WebSocket,
  'readyState' | 'onopen' | 'onmessage' | 'onclose' | 'send' | 'close'
>;

export interface SocketClientOptions {
  connect: () => SocketLike;
  clock: Clock;
  /** Frames as the contract has them; undefined for what is unknown or broken. */
  parse: (data: unknown) => ServerFrame | undefined;
  /** Asked anew at each opening, for it carries what has been seen so far. */
  authentication: () => ClientInput<'authenticate'>;
  /** After a close with 4401: asks the server once who I am. True: signed out. */
  isSignedOut: () => Promise<boolean>;
  onSignedOut: () => void;
  onStatus: (status: ConnectionStatus) => void;
  onFrame: (frame: ServerFrame) => void;
  /** The connection was lost and is there again: what was cached may be old. */
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
/** A handshake that hangs longer counts as a lost connection. */
const connectTimeoutMs = 10_000;
/** After a command, silence of this length makes the client probe; a probe fails after the same time. */
const silenceBeforeProbeMs = 3_000;

/**
 * The one connection of this page. Connects between `start` and `stop`, tries again after losses by the rules of
 * decision A140, authenticates and pings. Holds no product knowledge beyond the contract's frames.
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
  /** Frames received on the present socket, broken ones included: each is a sign of life. */
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

  /** Closes for good (logout): a normal close, never tried again. */
  stop(): void {
    if (!this.running) return;
    this.running = false;
    this.drop(closeCodes.normal);
    this.setStatus({ kind: 'closed' });
  }

  /** The Reconnect button: one new series of attempts, begun at once. */
  reconnect(): void {
    if (!this.running || this.status.kind !== 'failed' || !this.status.canReconnect) return;
    this.attempt = 0;
    this.open();
  }

  /**
   * The browser is online again, or the page was woken up: one attempt after having given up, no further waiting
   * between attempts, and a probe of a connection that seems open.
   */
  wake(): void {
    if (!this.running) return;
    if (this.status.kind === 'failed' && this.status.canReconnect) {
      // One try only: its failure leads back to the Reconnect button.
      this.attempt = limits.reconnectAttempts;
      this.open();
    } else if (this.status.kind === 'retrying' && this.retryTimer !== undefined) {
      this.open();
    } else if (this.isOpen) {
      this.ping(silenceBeforeProbeMs);
    }
  }

  /** Sends without waiting for an answer. False, and only logged, when not connected. */
  send<E extends ClientEvent>(event: E, data: ClientInput<E>): boolean {
    if (!this.isOpen || this.socket?.readyState !== OPEN) {
      this.options.log(`Not connected: ${event} was not sent`);
      return false;
    }
    this.socket.send(JSON.stringify({ event, data }));
    return true;
  }

  /**
   * Sends and waits for the ack.
   * @throws SocketRequestError when not connected, refused, cut off, or unanswered in time.
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

  /** Asks for everything after what has been seen: a frame is missing. */
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
      timeoutMs: limits.authenticateWithinMs,
    }).catch((error: unknown) => {
      // A socket that does not get in is as good as lost.
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

  /** Drops the connection when nothing at all arrives within `timeoutMs`. */
  private ping(timeoutMs = pongTimeoutMs): void {
    const socket = this.socket;
    const receivedCount = this.receivedCount;
    this.requestOn('ping', {}, { timeoutMs }).catch((error: unknown) => {
      const isUnanswered = error instanceof SocketRequestError && error.failure === 'timeout';
      const isSilent = receivedCount === this.receivedCount;
      if (isUnanswered && isSilent && socket === this.socket) this.lost(closeCodes.abnormal);
    });
  }

  /** While a command is unanswered, a silence is probed: a half-open connection would else seem open for a minute. */
  private watchForSilence(): void {
    const { clock } = this.options;
    clock.clearTimeout(this.silenceTimer);
    this.silenceTimer = undefined;
    const isAwaited = [...this.pending.values()].some(({ isProbe }) => !isProbe);
    if (!this.isOpen || !isAwaited) return;
    this.silenceTimer = clock.setTimeout(() => this.ping(silenceBeforeProbeMs), silenceBeforeProbeMs);
  }

  /** Leaves the present socket; whatever it still reports is no longer ours. */
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
    if (!isRetriedClose(code)) return this.setStatus({ kind: 'failed', canReconnect: true });
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
   * The server knows no session of this cookie. Another tab may have just replaced it, after a change of password or
   * e-mail (A02): who is still signed in connects again, with the delays and the limit of every loss.
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
