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
  /** Called for each connection and each `resync`, because the data has the number (`seq`) of the last event. */
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
  /** Runs until the next attempt to connect or, after flooding, until Reconnect is offered. Otherwise undefined. */
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
    if (!this.isRunning || this.status.kind !== 'failed' || !this.status.canReconnect) return;
    this.attempt = 0;
    this.openSocket();
  }

  /**
   * Checks the connection when the browser is online again, or the page becomes visible or is resumed. Probes an open
   * connection. If the client waits for its next attempt, it makes it now; if it has given up, it makes one more.
   */
  wake(): void {
    if (!this.isRunning) return;
    if (this.status.kind === 'failed' && this.status.canReconnect) {
      // One attempt only; when it fails, the Reconnect button is shown again.
      this.attempt = limits.reconnectAttempts;
      this.openSocket();
    } else if (this.status.kind === 'retrying' && this.retryTimer !== undefined) {
      this.openSocket();
    } else if (this.isOpen) {
      this.monitor?.probe();
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

  /** Like `request`, but also while the connection is being authenticated. */
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
    // After a ping, its own timeout limits the silence.
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
    socket.onopen = () => {
      // Another socket has replaced this one. The same check is in the handlers below.
      if (socket !== this.socket) return;
      clock.clearTimeout(this.connectTimer);
      this.authenticate();
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (socket !== this.socket) return;
      this.monitor?.countFrame();
      const frame = this.options.parse(data);
      if (frame) this.receive(frame);
      else log('An unknown or broken frame was dropped', data);
      // After `receive`, because no timer is needed once the last pending command is settled.
      this.monitor?.restartSilenceTimer();
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.handleLoss(code);
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
    // Responses with other events, such as `authenticated`, concern the features too.
    const isResponse = this.pending.settleRequestOf(frame);
    if (isResponse && (frame.event === 'ack' || frame.event === 'error' || frame.event === 'pong')) return;
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
    if (code === closeCodes.notSignedIn) return this.handleNotSignedIn();
    if (code === closeCodes.flooding) return this.pauseAfterFlooding();
    if (!shouldReconnectAfter(code)) return this.setStatus({ kind: 'failed', canReconnect: true });
    this.retry();
  }

  private retry(): void {
    if (this.attempt >= limits.reconnectAttempts) {
      return this.setStatus({ kind: 'failed', canReconnect: true });
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
        if (this.status === checking) this.setStatus({ kind: 'failed', canReconnect: true });
      },
    );
  }

  /** The server closed the connection because this client sent too many frames: Reconnect is offered after a pause. */
  private pauseAfterFlooding(): void {
    this.setStatus({ kind: 'failed', canReconnect: false });
    this.retryTimer = this.options.clock.setTimeout(() => {
      this.retryTimer = undefined;
      this.setStatus({ kind: 'failed', canReconnect: true });
    }, pageLimits.reconnectButtonAfterFloodMs);
  }

  private setStatus(status: ConnectionStatus): void {
    this.status = status;
    this.options.onStatus(status);
  }
}
