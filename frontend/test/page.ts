import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { WebSocket } from 'ws';
import { type ThawVisitor } from '../../backend/src/testing/thaw.client';
import { createRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type ConnectionStatus, type SocketLike } from '@/lib/socket/socket-client';
import { actAs } from './acting';

/** Runs `work` as the user of a page. */
type Act = (work: () => void) => void;

const SPEED_UP = 50;
/**
 * Delays of the connection that are divided by SPEED_UP: before each reconnect attempt, and until a connection counts
 * as stable. They are recognised by their length. Other delays, such as the timeouts of responses, are not shortened.
 */
const SHORTENED_DELAYS_MS: ReadonlySet<number> = new Set([
  ...Array.from({ length: limits.reconnectAttempts }, (_, index) => reconnectDelayMs(index + 1)),
  limits.reconnectResetAfterMs,
]);

const shortenDelay = (delayMs: number): number =>
  SHORTENED_DELAYS_MS.has(delayMs) ? delayMs / SPEED_UP : delayMs;

/** The time from the offer of Reconnect until the user presses it. */
const RECONNECT_PRESSED_AFTER_MS = 50;

/** A clock whose timers do their work through `act`. @param adjustDelay returns the delay that a timer really waits */
const createClock = (act: Act, adjustDelay = (delayMs: number): number => delayMs): Clock => ({
  now: () => Date.now(),
  setTimeout: (run, delayMs) => Number(setTimeout(() => act(run), adjustDelay(delayMs)).unref()),
  clearTimeout: (timer) => clearTimeout(timer),
});

/**
 * Adapts a socket of `ws` to that of a browser. Its events differ, so each one is replaced by an object with the fields
 * that SocketClient reads.
 */
const adaptSocket = (socket: WebSocket, act: Act): SocketLike => {
  const adapted: SocketLike = {
    get readyState() {
      return socket.readyState;
    },
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (data) => socket.send(data as string),
    close: (code) => socket.close(code),
  };
  type Listener = ((event: unknown) => void) | null;
  const emit = (listener: Listener, event: object): void => act(() => listener?.(event));
  socket.on('open', () => emit(adapted.onopen as Listener, {}));
  socket.on('message', (raw: Buffer) => emit(adapted.onmessage as Listener, { data: raw.toString() }));
  socket.on('close', (code) => emit(adapted.onclose as Listener, { code }));
  return adapted;
};

const noOtherTabs = {
  enter: () => undefined,
  leave: () => undefined,
  isOpenElsewhere: async () => false,
};

/**
 * A user's chat page without a screen. The state and the connection are those of the product; the test can cut the
 * connection.
 */
export class ChatPage {
  readonly chat: ReturnType<typeof createRandomChat>;
  /** Events that must not happen: the server signs the user out, or forbids a reconnect. */
  readonly violations: string[] = [];
  private readonly client: SocketClient;
  private socket: WebSocket | undefined;
  private isStopped = false;

  /**
   * @param visitor  the user, with a login
   * @param origins  addresses of the replicas
   * @param chooseReplica  returns the index of the replica for the next connection
   */
  constructor(
    readonly visitor: ThawVisitor,
    private readonly origins: readonly string[],
    private readonly chooseReplica: () => number,
  ) {
    const act: Act = (work) => this.act(work);
    this.chat = createRandomChat({ clock: createClock(act), newId, chatTabs: noOtherTabs });
    this.client = new SocketClient({
      clock: createClock(act, shortenDelay),
      parse: parseFrame,
      connect: () => this.connect(),
      buildAuthentication: () => {
        const lastSeen = this.chat.getLastSeen();
        const showsChat = this.chat.takeShowsChat();
        return { userId: this.id, showsChat, ...(lastSeen ? { lastSeen } : {}) };
      },
      // Before this call, `handleStatus` has already recorded the sign-out as a violation.
      checkSignedOut: async () => false,
      onSignedOut: () => this.violations.push('signed out'),
      onStatus: (status) => this.handleStatus(status),
      onFrame: (frame) => this.chat.receive(frame),
      log: () => undefined,
    });
    this.chat.attachSocket(this.client);
    this.chat.show();
  }

  get id(): number {
    return this.visitor.user.id;
  }

  get state() {
    return this.chat.useStore.getState();
  }

  get isConnected(): boolean {
    return this.client.isOpen;
  }

  start(): void {
    this.act(() => this.client.start());
  }

  stop(): void {
    this.isStopped = true;
    this.act(() => this.client.stop());
  }

  act(work: () => void): void {
    actAs(this.visitor.user, work);
  }

  /** Messages that are not yet acknowledged. */
  get outgoing() {
    return this.chat.outbox.useStore.getState().messages;
  }

  /** Retries the messages that were not delivered, like a user who presses Retry. */
  retryUndelivered(): void {
    if (!this.isConnected) return;
    // `retry` does nothing for messages that are being sent.
    for (const { clientId } of this.outgoing) this.act(() => this.chat.outbox.retry(clientId));
  }

  /** Breaks the connection without a close frame. */
  cut(): void {
    this.socket?.terminate();
  }

  private handleStatus(status: ConnectionStatus): void {
    // `failed`: the client no longer reconnects by itself.
    if (status.kind !== 'failed' || this.isStopped) return;
    this.chat.handleConnectionGivenUp();
    if (status.canReconnect) this.reconnectSoon();
    else this.violations.push('may not reconnect');
  }

  /** Simulates a user who presses Reconnect. The page offers it after too many cuts in a row. */
  private reconnectSoon(): void {
    setTimeout(() => this.act(() => this.client.reconnect()), RECONNECT_PRESSED_AFTER_MS).unref();
  }

  private connect(): SocketLike {
    const origin = this.origins[this.chooseReplica()] ?? '';
    this.socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/ws`, {
      headers: { cookie: this.visitor.cookie },
    });
    this.socket.on('error', () => undefined); // followed by `close`
    return adaptSocket(this.socket, (work) => this.act(work));
  }
}
