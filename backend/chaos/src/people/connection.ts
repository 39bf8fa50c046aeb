import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import { shouldReconnectAfter } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type Frame, PageSocket, type Silence } from './page-socket';

/** One attempt to connect and authenticate. */
export interface Attempt {
  startedAt: number;
  /** When the socket was authenticated; undefined when it was not. */
  arrivedAt?: number;
  failedAt?: number;
}

interface Owner {
  /** Data to authenticate with; called before each attempt. */
  authentication(): ClientInput<'authenticate'>;
  /** Called for a new socket; all later frames come from it. */
  onSocket(): void;
  onFrame(frame: Frame): void;
  /** Reports a violation. */
  complain(what: string): void;
}

/**
 * The connection of a page, like `frontend/src/lib/socket`: five attempts after 1, 2, 4, 8 and 16 seconds, then a
 * Reconnect button. The count restarts after five seconds of uptime.
 */
export class Connection {
  readonly attempts: Attempt[] = [];
  readonly closeCodes: number[] = [];
  /** How often the Reconnect button was reached. */
  gaveUp = 0;
  isGivenUp = false;
  private socket: PageSocket | undefined;
  private attempt = 0;
  private isStopped = true;
  private retryTimer: NodeJS.Timeout | undefined;
  private uptimeTimer: NodeJS.Timeout | undefined;
  private pingTimer: NodeJS.Timeout | undefined;
  private arrived: PageSocket | undefined;

  constructor(
    private readonly origin: string,
    private readonly cookie: () => string,
    private readonly owner: Owner,
  ) {}

  /** Whether the current socket is authenticated. */
  get isReady(): boolean {
    return this.arrived !== undefined && this.arrived === this.socket;
  }

  start(): void {
    this.isStopped = false;
    this.attempt = 0;
    this.open();
  }

  /** Presses the Reconnect button: starts a new series of attempts at once. */
  pressReconnect(): void {
    if (!this.isGivenUp || this.isStopped) return;
    this.isGivenUp = false;
    this.attempt = 0;
    this.open();
  }

  stop(): void {
    this.isStopped = true;
    const { socket } = this;
    this.forget();
    socket?.leave();
  }

  /** Resolves when authenticated. @returns false on a timeout. */
  async ready(withinMs: number): Promise<boolean> {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20)) {
      if (this.isReady) return true;
    }
    return this.isReady;
  }

  ask<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAnswer?: (frame: Frame) => void,
  ): Promise<Frame | Silence> {
    if (!this.isReady || !this.socket) return Promise.resolve('closed');
    return this.socket.ask(event, data, onAnswer);
  }

  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.isReady) this.socket?.send(event, data);
  }

  /** Authenticates again to receive what was missed after a gap. */
  authenticateAgain(): void {
    if (this.socket) void this.authenticate(this.socket, { startedAt: Date.now() });
  }

  private open(): void {
    clearTimeout(this.retryTimer);
    if (this.isStopped) return;
    const attempt: Attempt = { startedAt: Date.now() };
    this.attempts.push(attempt);
    const socket: PageSocket = new PageSocket(this.origin, this.cookie(), {
      open: () => void this.authenticate(socket, attempt),
      frame: (frame) => {
        if (socket !== this.socket) return;
        if (frame.event === 'authenticated') this.authenticated(socket, attempt);
        this.owner.onFrame(frame);
      },
      close: (code) => {
        if (attempt.arrivedAt === undefined) attempt.failedAt ??= Date.now();
        if (socket === this.socket) this.lost(code);
      },
    });
    this.socket = socket;
    this.owner.onSocket();
  }

  private async authenticate(socket: PageSocket, attempt: Attempt): Promise<void> {
    const answer = await socket.ask('authenticate', this.owner.authentication());
    if (socket !== this.socket || answer === 'closed') return;
    if (answer !== 'timeout' && answer.event === 'authenticated') return;
    // A socket that cannot authenticate is treated as lost.
    attempt.failedAt ??= Date.now();
    socket.drop();
  }

  private authenticated(socket: PageSocket, attempt: Attempt): void {
    if (this.isReady) return;
    attempt.arrivedAt = Date.now();
    this.arrived = socket;
    this.uptimeTimer = setTimeout(() => (this.attempt = 0), limits.reconnectResetAfterMs);
    this.pingTimer = setInterval(() => void this.ping(socket), limits.pingIntervalMs);
  }

  private async ping(socket: PageSocket): Promise<void> {
    if ((await socket.ask('ping', {})) === 'timeout' && socket === this.socket) socket.drop();
  }

  private forget(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.uptimeTimer);
    clearInterval(this.pingTimer);
    this.socket = this.arrived = undefined;
  }

  private lost(code: number): void {
    this.forget();
    this.closeCodes.push(code);
    if (this.isStopped) return;
    if (!shouldReconnectAfter(code))
      this.owner.complain(`closed with ${code}, after which a page does not come back`);
    if (this.attempt >= limits.reconnectAttempts) {
      this.gaveUp += 1;
      this.isGivenUp = true;
      return;
    }
    this.attempt += 1;
    this.retryTimer = setTimeout(() => this.open(), reconnectDelayMs(this.attempt));
  }
}
