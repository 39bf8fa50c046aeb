import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import { shouldReconnectAfter } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type Frame, PageSocket, type NoResponse } from './page-socket';

const READY_POLL_MS = 20;

/** One attempt to connect and authenticate. Times are `Date.now()`. */
export interface Attempt {
  startedAt: number;
  /** When the socket was authenticated; undefined when it was not. */
  authenticatedAt?: number;
  /** When the attempt ended without authentication. A later loss of the connection is not a failure. */
  failedAt?: number;
}

interface ConnectionOwner {
  /** Returns the data of the frame `authenticate`. Called before each attempt to authenticate. */
  getAuthenticationData(): ClientInput<'authenticate'>;
  /** Called for each new socket. All later frames come from this socket. */
  onSocket(): void;
  onFrame(frame: Frame): void;
  /** Reports that the service has broken a rule that this test checks. */
  reportProblem(description: string): void;
}

/**
 * The connection of a page, like `frontend/src/lib/socket`: five attempts after 1, 2, 4, 8 and 16 seconds, then a
 * Reconnect button. The count restarts after five seconds of uptime.
 */
export class Connection {
  readonly attempts: Attempt[] = [];
  /** How often the page has shown the Reconnect button. */
  gaveUpCount = 0;
  /** Whether the page shows the Reconnect button now. */
  hasGivenUp = false;
  private socket: PageSocket | undefined;
  private authenticatedSocket: PageSocket | undefined;
  /** Attempts to reconnect since the last stable connection, or since the Reconnect button was pressed. */
  private reconnectCount = 0;
  private isStopped = true;
  private retryTimer: NodeJS.Timeout | undefined;
  private uptimeTimer: NodeJS.Timeout | undefined;
  private pingTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly origin: string,
    private readonly readCookie: () => string,
    private readonly owner: ConnectionOwner,
  ) {}

  /** Whether the current socket is authenticated. */
  get isReady(): boolean {
    return this.authenticatedSocket !== undefined && this.authenticatedSocket === this.socket;
  }

  start(): void {
    this.isStopped = false;
    this.reconnectCount = 0;
    this.open();
  }

  /** Presses the Reconnect button: starts a new series of attempts at once. */
  pressReconnect(): void {
    if (!this.hasGivenUp || this.isStopped) return;
    this.hasGivenUp = false;
    this.reconnectCount = 0;
    this.open();
  }

  stop(): void {
    this.isStopped = true;
    const { socket } = this;
    this.releaseSocket();
    socket?.leave();
  }

  /** Waits until the current socket is authenticated. @returns false on a timeout */
  async waitUntilReady(withinMs: number): Promise<boolean> {
    const deadlineAt = Date.now() + withinMs;
    while (!this.isReady && Date.now() < deadlineAt) await sleep(READY_POLL_MS);
    return this.isReady;
  }

  /** As `PageSocket.request`, on the current socket. */
  request<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onResponse?: (frame: Frame) => void,
  ): Promise<Frame | NoResponse> {
    if (!this.isReady || !this.socket) return Promise.resolve('closed');
    return this.socket.request(event, data, onResponse);
  }

  /** Sends a frame without a response. Does nothing while the socket is not authenticated. */
  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.isReady) this.socket?.send(event, data);
  }

  /** Authenticates again on the same socket. The service then sends the events that are missing after a gap. */
  authenticateAgain(): void {
    // The attempt is not added to `attempts`, because the socket is already open.
    if (this.socket) void this.authenticate(this.socket, { startedAt: Date.now() });
  }

  private open(): void {
    clearTimeout(this.retryTimer);
    if (this.isStopped) return;
    const attempt: Attempt = { startedAt: Date.now() };
    this.attempts.push(attempt);
    const socket: PageSocket = new PageSocket(this.origin, this.readCookie(), {
      onOpen: () => void this.authenticate(socket, attempt),
      onFrame: (frame) => {
        if (socket !== this.socket) return;
        // Before `owner.onFrame`, so that the connection is ready when the owner receives the frame.
        if (frame.event === 'authenticated') this.handleAuthenticated(socket, attempt);
        this.owner.onFrame(frame);
      },
      onClose: (code) => {
        if (attempt.authenticatedAt === undefined) attempt.failedAt ??= Date.now();
        if (socket === this.socket) this.handleClose(code);
      },
    });
    this.socket = socket;
    this.owner.onSocket();
  }

  private async authenticate(socket: PageSocket, attempt: Attempt): Promise<void> {
    const response = await socket.request('authenticate', this.owner.getAuthenticationData());
    if (socket !== this.socket || response === 'closed') return;
    // `onFrame` has already handled the frame `authenticated`.
    const isAuthenticated = response !== 'timeout' && response.event === 'authenticated';
    if (isAuthenticated) return;
    attempt.failedAt ??= Date.now();
    socket.drop();
  }

  private handleAuthenticated(socket: PageSocket, attempt: Attempt): void {
    const isRepetition = this.isReady; // after `authenticateAgain`
    if (isRepetition) return;
    attempt.authenticatedAt = Date.now();
    this.authenticatedSocket = socket;
    this.uptimeTimer = setTimeout(() => (this.reconnectCount = 0), limits.reconnectResetAfterMs);
    this.pingTimer = setInterval(() => void this.ping(socket), limits.pingIntervalMs);
  }

  private async ping(socket: PageSocket): Promise<void> {
    if ((await socket.request('ping', {})) === 'timeout' && socket === this.socket) socket.drop();
  }

  private releaseSocket(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.uptimeTimer);
    clearInterval(this.pingTimer);
    this.socket = this.authenticatedSocket = undefined;
  }

  private handleClose(code: number): void {
    this.releaseSocket();
    if (this.isStopped) return;
    // Unlike a page, reconnects even after such a code, so that the user stays in the run.
    if (!shouldReconnectAfter(code))
      this.owner.reportProblem(`closed with ${code}, after which a page does not reconnect`);
    if (this.reconnectCount < limits.reconnectAttempts) this.scheduleReconnect();
    else this.giveUp();
  }

  private scheduleReconnect(): void {
    this.reconnectCount += 1;
    this.retryTimer = setTimeout(() => this.open(), reconnectDelayMs(this.reconnectCount));
  }

  private giveUp(): void {
    this.gaveUpCount += 1;
    this.hasGivenUp = true;
  }
}
