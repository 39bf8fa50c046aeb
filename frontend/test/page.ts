import { WebSocket } from 'ws';
import { type ThawVisitor } from '../../backend/src/testing/thaw.client';
import { createRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { newId } from '@/lib/new-id';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type ConnectionStatus, type SocketLike } from '@/lib/socket/socket-client';
import { actAs, type Act } from './acting';
import { createClock, createConnectionClock } from './page-clock';
import { adaptSocket } from './page-socket';

/** The time from the offer of Reconnect until the user presses it. */
const RECONNECT_PRESSED_AFTER_MS = 50;

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
  /** Closes that must not happen: the server does not accept the login, or the page has sent too many frames. */
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
      clock: createConnectionClock(act),
      parse: parseFrame,
      connect: () => this.connect(),
      buildAuthentication: () => {
        const lastSeen = this.chat.getLastSeen();
        // `takeShowsChat` also stores the value as the one last sent to the server.
        const showsChat = this.chat.takeShowsChat();
        return { userId: this.id, showsChat, ...(lastSeen ? { lastSeen } : {}) };
      },
      // Asked after a close with 4401 (not signed in), which `handleStatus` has already recorded as a violation. The
      // answer lets the page reconnect, so `onSignedOut` is never called.
      checkSignedOut: async () => false,
      onSignedOut: () => undefined,
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

  /** Runs `work` with the user of this page as the signed-in user. */
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
    // `failed`: the client no longer reconnects by itself, or asks `checkSignedOut` first.
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
