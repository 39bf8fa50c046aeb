import { WebSocket } from 'ws';
import { type ThawVisitor } from '../../backend/src/testing/thaw.client';
import { createRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type SocketLike } from '@/lib/socket/socket-client';
import { actAs } from './acting';

/** Factor by which the connection's back-off and uptime delays are shortened; timeouts of answers are not. */
const SPEED_UP = 50;
const SHORTENED_DELAYS_MS: ReadonlySet<number> = new Set([1_000, 2_000, 4_000, 5_000, 8_000, 16_000]);

const RECONNECT_PRESSED_AFTER_MS = 50;

const createClock = (act: (work: () => void) => void, waitFor: (delayMs: number) => number): Clock => ({
  now: () => Date.now(),
  setTimeout: (run, delayMs) => Number(setTimeout(() => act(run), waitFor(delayMs)).unref()),
  clearTimeout: (timer) => clearTimeout(timer),
});

const shortenDelay = (delayMs: number): number =>
  SHORTENED_DELAYS_MS.has(delayMs) ? delayMs / SPEED_UP : delayMs;

/** A user's page without a screen: the real state and the real connection, over a socket that the test can cut. */
export class ChatPage {
  readonly chat: ReturnType<typeof createRandomChat>;
  /** What must never happen to a page: that it is refused or signed out. */
  readonly complaints: string[] = [];
  private readonly client: SocketClient;
  private socket: WebSocket | undefined;
  private isOver = false;

  /** @param origins of the replicas. @param chooseReplica returns the index of the replica for the next connection. */
  constructor(
    readonly visitor: ThawVisitor,
    private readonly origins: readonly string[],
    private readonly chooseReplica: () => number,
  ) {
    const act = (work: () => void): void => this.act(work);
    const noOtherTabs = {
      enter: () => undefined,
      leave: () => undefined,
      isOpenElsewhere: async () => false,
    };
    this.chat = createRandomChat({
      clock: createClock(act, (delayMs) => delayMs),
      newId,
      chatTabs: noOtherTabs,
    });
    this.client = new SocketClient({
      clock: createClock(act, shortenDelay),
      parse: parseFrame,
      connect: () => this.connect(),
      buildAuthentication: () => {
        const lastSeen = this.chat.getLastSeen();
        const showsChat = this.chat.takeShowsChat();
        return { userId: this.id, showsChat, ...(lastSeen ? { lastSeen } : {}) };
      },
      checkSignedOut: async () => false,
      onSignedOut: () => this.complaints.push('signed out'),
      onStatus: (status) => {
        if (status.kind !== 'failed' || this.isOver) return;
        this.chat.handleConnectionGivenUp();
        if (!status.canReconnect) this.complaints.push('is refused');
        else this.reconnectSoon();
      },
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

  get isOpen(): boolean {
    return this.client.isOpen;
  }

  start(): void {
    this.act(() => this.client.start());
  }

  stop(): void {
    this.isOver = true;
    this.act(() => this.client.stop());
  }

  /** Runs `work` as this page's user. */
  act(work: () => void): void {
    actAs(this.visitor.user, work);
  }

  get outgoing() {
    return this.chat.outbox.useStore.getState().messages;
  }

  /** Sends refused messages again, like a user who presses Retry. */
  retryFailed(): void {
    if (!this.isOpen) return;
    for (const { clientId } of this.outgoing) this.act(() => this.chat.outbox.retry(clientId));
  }

  /** Breaks the connection without a close frame. */
  cut(): void {
    this.socket?.terminate();
  }

  /** After too many cuts in a row the page gives up; simulates a user who presses Reconnect. */
  private reconnectSoon(): void {
    setTimeout(() => this.act(() => this.client.reconnect()), RECONNECT_PRESSED_AFTER_MS).unref();
  }

  private connect(): SocketLike {
    const origin = this.origins[this.chooseReplica()] ?? '';
    const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/ws`, {
      headers: { cookie: this.visitor.cookie },
    });
    socket.on('error', () => undefined); // followed by `close`
    this.socket = socket;
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
    // The events of ws have fewer fields than those of a browser; the client reads only these.
    type Listener = ((event: unknown) => void) | null;
    const emit = (listener: Listener, event: object): void => this.act(() => listener?.(event));
    socket.on('open', () => emit(adapted.onopen as Listener, {}));
    socket.on('message', (raw: Buffer) => emit(adapted.onmessage as Listener, { data: raw.toString() }));
    socket.on('close', (code) => emit(adapted.onclose as Listener, { code }));
    return adapted;
  }
}
