import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { closeCodes, shouldReconnectAfter } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type Clock } from '@/lib/clock';
import { pageLimits } from '@/lib/page-limits';
import { ConnectionMonitor } from '@/lib/socket/connection-monitor';
import { PendingRequests, type RequestOptions } from '@/lib/socket/pending-requests';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export type ConnectionStatus =
  /** The client has not been started, or has been stopped. */
  | { kind: 'closed' }
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'retrying'; attempt: number }
  /** The client no longer reconnects by itself; `canReconnect`: whether the user may reconnect. */
  | { kind: 'failed'; canReconnect: boolean };

/** The part of WebSocket that the client uses. */
export type SocketLike = Pick<
  WebSocket,
  'readyState' | 'onopen' | 'onmessage' | 'onclose' | 'send' | 'close'
>;

export interface SocketClientOptions {
  /** Creates a socket that is connecting to the server. */
  connect: () => SocketLike;
  clock: Clock;
  /** Parses a frame of the contract; returns undefined for an unknown or invalid frame. */
  parse: (data: unknown) => ServerFrame | undefined;
  /** Called for each connection and each `resync`: the data contains the last event that the page has applied. */
  buildAuthentication: () => ClientInput<'authenticate'>;
  /** Asks the server, after a close with 4401 (not signed in), whether the user is signed out. */
  checkSignedOut: () => Promise<boolean>;
  onSignedOut: () => void;
  onStatus: (status: ConnectionStatus) => void;
  onFrame: (frame: ServerFrame) => void;
  /** Called when a lost connection is open again: cached data may be stale. */
  onReopened?: () => void;
  log: (message: string, detail?: unknown) => void;
}

/** `WebSocket.OPEN`. */
const openState = 1;
/** A handshake that takes longer counts as a lost connection. */
const connectTimeoutMs = 10_000;
/** Responses that concern only their request. Others, such as `authenticated`, are passed to the features too. */
const plainResponses: ReadonlySet<string> = new Set(['ack', 'error', 'pong']);

/**
 * The page's only WebSocket connection, open between `start` and `stop`. Authenticates, pings, and reconnects with
 * exponential backoff (docs/product-decisions.md, A140). Independent of features.
 */
export class SocketClient {
  private socket: SocketLike | undefined;
  private isRunning = false;
  /** Number of the current reconnect attempt; 0 for the first connection, and once a connection is stable. */
  private attempt = 0;
  /** Whether a connection has been open since `start`. */
  private hasBeenOpen = false;
  private readonly pending: PendingRequests;
  /** Present while the connection is open. */
  private monitor: ConnectionMonitor | undefined;
  /** Runs before an attempt to connect and, after flooding, before Reconnect is offered. Otherwise undefined. */
  private retryTimer: number | undefined;
  /** Sets `attempt` to 0 once the connection has been open for `limits.reconnectResetAfterMs`. */
  private uptimeTimer: number | undefined;
  private connectTimer: number | undefined;
  private status: ConnectionStatus = { kind: 'closed' };

  constructor(private readonly options: SocketClientOptions) {
    this.pending = new PendingRequests(options.clock);
  }

  get isOpen(): boolean {
    return this.status.kind === 'open';
  }

  private get canReconnect(): boolean {
    return this.isRunning && this.status.kind === 'failed' && this.status.canReconnect;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.attempt = 0;
    this.hasBeenOpen = false;
    this.openSocket();
  }

  /** Closes the connection on logout, with a normal close and without a reconnect. */
  stop(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.detachSocket(closeCodes.normal);
    this.setStatus({ kind: 'closed' });
  }

  /** Called by the Reconnect button: connects immediately and resets the number of attempts. */
  reconnect(): void {
    if (!this.canReconnect) return;
    this.attempt = 0;
    this.openSocket();
  }

  /**
   * Checks the connection when the browser is online again, or the page becomes visible or is resumed. Probes an open
   * connection. If the client waits for its next attempt, it makes it now; if it has given up, it makes one more.
   */
  wake(): void {
    // Without the timer, an attempt is already in progress.
    const isWaitingToRetry = this.status.kind === 'retrying' && this.retryTimer !== undefined;
    if (this.isOpen) {
      this.monitor?.probe();
    } else if (isWaitingToRetry) {
      this.openSocket();
    } else if (this.canReconnect) {
      // One attempt only; when it fails, the Reconnect button is shown again.
      this.attempt = limits.reconnectAttempts;
      this.openSocket();
    }
  }

  /** Sends a frame without requesting a response. Returns false, and logs, when not connected. */
  send<E extends ClientEvent>(event: E, data: ClientInput<E>): boolean {
    if (!this.isOpen || this.socket?.readyState !== openState) {
      this.options.log(`Not connected: ${event} was not sent`);
      return false;
    }
    this.socket.send(JSON.stringify({ event, data }));
    return true;
  }

  /**
   * Sends a frame and resolves with the data of its ack.
   * @throws SocketRequestError when not connected, when the server refuses the request or does not answer in time, or
   * when the connection is lost.
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
    return this.sendRequest(event, data, options);
  }

  /** Requests the events that this page has missed, by authenticating again; called when a frame is missing. */
  resync(): void {
    if (this.isOpen) this.authenticate();
  }

  /** Like `request`, but can be called as soon as the socket is open, to authenticate it. */
  private sendRequest<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    options: RequestOptions,
  ): Promise<Record<string, unknown>> {
    const socket = this.socket;
    if (socket?.readyState !== openState) return Promise.reject(new SocketRequestError('not_connected'));
    const response = this.pending.add({ ...options, event }, (ref) =>
      socket.send(JSON.stringify({ event, data, ref })),
    );
    // The silence timer is for commands. A ping has its own timeout.
    if (event !== 'ping') this.monitor?.restartSilenceTimer();
    return response;
  }

  private openSocket(): void {
    const { clock, connect, log } = this.options;
    clock.clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.setStatus(this.attempt === 0 ? { kind: 'connecting' } : { kind: 'retrying', attempt: this.attempt });
    const socket = connect();
    this.socket = socket;
    this.connectTimer = clock.setTimeout(() => {
      log('The connection was not established in time');
      this.handleLoss(closeCodes.abnormal);
    }, connectTimeoutMs);
    /** False once another socket has replaced this one. */
    const isCurrent = (): boolean => socket === this.socket;
    socket.onopen = () => {
      if (!isCurrent()) return;
      clock.clearTimeout(this.connectTimer);
      this.authenticate();
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!isCurrent()) return;
      this.monitor?.countFrame();
      const frame = this.options.parse(data);
      if (frame) this.receive(frame);
      else log('An unknown or broken frame was dropped', data);
      // After `receive`, which may settle the last pending command. No timer is needed then.
      this.monitor?.restartSilenceTimer();
    };
    socket.onclose = ({ code }) => {
      if (isCurrent()) this.handleLoss(code);
    };
  }

  private authenticate(): void {
    const socket = this.socket;
    this.sendRequest('authenticate', this.options.buildAuthentication(), {
      timeoutMs: limits.authenticateTimeoutMs,
    }).catch((error: unknown) => {
      // The connection was closed in the meantime, which has been handled.
      if (socket !== this.socket || !this.isRunning) return;
      // A socket that cannot authenticate counts as lost.
      this.options.log('The connection was not accepted', error);
      this.handleLoss(closeCodes.abnormal);
    });
  }

  private receive(frame: ServerFrame): void {
    if (frame.event === 'authenticated' && !this.isOpen) this.handleAuthenticated();
    const isResponse = this.pending.settleRequestOf(frame);
    if (isResponse && plainResponses.has(frame.event)) return;
    if (frame.event === 'error') this.options.log(`The server refused: ${frame.data.code}`, frame.data);
    this.options.onFrame(frame);
  }

  private handleAuthenticated(): void {
    const { clock } = this.options;
    const isReopened = this.hasBeenOpen;
    this.hasBeenOpen = true;
    this.setStatus({ kind: 'open' });
    this.uptimeTimer = clock.setTimeout(() => {
      this.attempt = 0;
    }, limits.reconnectResetAfterMs);
    this.monitor = new ConnectionMonitor({
      clock,
      ping: (timeoutMs) => this.sendRequest('ping', {}, { timeoutMs }),
      hasPendingCommand: () => this.pending.hasCommand,
      onDead: () => this.handleLoss(closeCodes.abnormal),
    });
    if (isReopened) this.options.onReopened?.();
  }

  /** Closes the current socket, ignores its later events and rejects the pending requests. */
  private detachSocket(code?: number): void {
    const { clock } = this.options;
    const socket = this.socket;
    this.socket = undefined;
    this.monitor?.stop();
    this.monitor = undefined;
    for (const timer of [this.retryTimer, this.uptimeTimer, this.connectTimer]) clock.clearTimeout(timer);
    this.retryTimer = this.uptimeTimer = this.connectTimer = undefined;
    this.pending.rejectAll(new SocketRequestError('closed'));
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close(code);
    }
  }

  /** Handles a lost or closed connection: reconnects, gives up or signs out, depending on the close code. */
  private handleLoss(code: number): void {
    this.detachSocket();
    if (!this.isRunning) return;
    if (code === closeCodes.notSignedIn) this.handleNotSignedIn();
    else if (code === closeCodes.flooding) this.pauseAfterFlooding();
    else if (shouldReconnectAfter(code)) this.retry();
    else this.offerReconnect();
  }

  /** Waits for the next attempt, or gives up after the last one. */
  private retry(): void {
    if (this.attempt >= limits.reconnectAttempts) {
      this.offerReconnect();
      return;
    }
    this.attempt += 1;
    this.setStatus({ kind: 'retrying', attempt: this.attempt });
    this.retryTimer = this.options.clock.setTimeout(() => this.openSocket(), reconnectDelayMs(this.attempt));
  }

  /**
   * Handles a close with 4401: the server does not recognize the session cookie. Another tab may have just replaced the
   * cookie after a change of password or e-mail, so a user who is still signed in reconnects as after any lost
   * connection.
   */
  private handleNotSignedIn(): void {
    const { checkSignedOut, onSignedOut, log } = this.options;
    // Reconnect is not offered while the server is asked.
    const checking: ConnectionStatus = { kind: 'failed', canReconnect: false };
    this.setStatus(checking);
    checkSignedOut().then(
      (isSignedOut) => {
        // The status has changed if the client was stopped or restarted in the meantime.
        if (this.status !== checking) return;
        if (isSignedOut) onSignedOut();
        else this.retry();
      },
      (error: unknown) => {
        log('Could not ask who is signed in', error);
        if (this.status === checking) this.offerReconnect();
      },
    );
  }

  /** The server closed the connection because this client sent too many frames: Reconnect is offered after a pause. */
  private pauseAfterFlooding(): void {
    this.setStatus({ kind: 'failed', canReconnect: false });
    this.retryTimer = this.options.clock.setTimeout(() => {
      this.retryTimer = undefined;
      this.offerReconnect();
    }, pageLimits.reconnectButtonAfterFloodMs);
  }

  private offerReconnect(): void {
    this.setStatus({ kind: 'failed', canReconnect: true });
  }

  private setStatus(status: ConnectionStatus): void {
    this.status = status;
    this.options.onStatus(status);
  }
}
