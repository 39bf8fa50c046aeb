import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { closeCodes, type CloseCode } from '@thaw/contract/close-codes';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import { realtimeLimits } from './realtime.limits';
import type { SocketIdentity } from './socket-identity.port';
import { writeTextFrame } from './text-frame.codec';

/**
 * A silent peer is pinged this long after the check that noticed its last frame. The frame may have arrived up to
 * `heartbeatCheckMs` before that check, so the peer is pinged before it has been silent for longer than `pingEveryMs`.
 */
const PING_AFTER_MS = realtimeLimits.pingEveryMs - realtimeLimits.heartbeatCheckMs;

/** @param receivedAt when the frame was read (monotonic, ms). */
export type FrameHandler = (text: string, receivedAt: number) => Promise<void>;

/** One socket, whose frames are handled one at a time, in order of arrival, with bounded queues in both directions. */
export class SocketConnection {
  readonly id = randomBytes(9).toString('base64url');
  /** Whether `authenticate` has been accepted. Until then, all other frames except `ping` are refused. */
  isAuthenticated = false;
  /**
   * Whether the page on this socket shows the user's chat. The user is present in the chat while at least one of
   * their sockets shows it. The frames `authenticate` and `show_chat` set it.
   */
  showsChat = true;
  /**
   * Resolves when the socket is registered and subscribed to its user's channel, or closed because that failed. Never
   * rejects. The frame handler waits for it.
   */
  ready: Promise<void> = Promise.resolve();
  /** Whether `ready` has resolved. */
  isReady = false;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  /** The frames that wait to be handled. `receivedAt`: when the frame was read (monotonic, ms). */
  private readonly queue: { text: string; receivedAt: number }[] = [];
  private isHandling = false;
  /** The last run of `handleQueue`. */
  private handling: Promise<void> = Promise.resolve();
  /** When the pending ping was sent (epoch ms); undefined if none is pending. */
  private pingedAt: number | undefined;
  /** Whether the peer has sent a message or a pong since the last `checkHeartbeat`. */
  private hasReceived = false;
  /** The start of the peer's silence: the last check that found `hasReceived` set, or the opening (epoch ms). */
  private silentSince: number;
  private isClosing = false;

  constructor(
    private readonly socket: WebSocket,
    /** The underlying TCP connection. */
    private readonly stream: Duplex,
    readonly identity: SocketIdentity,
    private readonly handleFrame: FrameHandler,
    openedAtMs: number,
  ) {
    this.silentSince = openedAtMs;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('pong', () => (this.hasReceived = true));
  }

  /** Makes the connection ready when its registration ends. @param registration a promise that never rejects. */
  becomeReadyAfter(registration: Promise<void>): void {
    this.ready = registration;
    void registration.then(() => (this.isReady = true));
  }

  get isOpen(): boolean {
    return !this.isClosing && this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends one serialised frame. Closes the socket with 1013 when the client does not read fast enough. */
  send(frame: string): void {
    if (!this.isOpen) return;
    // Not by `socket.send`, which would write the header and the payload as two chunks.
    writeTextFrame(this.stream, frame);
    if (this.stream.writableLength > realtimeLimits.maxBufferedBytes) this.close(closeCodes.consumerTooSlow);
  }

  sendFrame<E extends ServerEvent>(event: E, data: ServerData<E>): void {
    this.send(JSON.stringify({ event, data }));
  }

  /** Resolves once the send buffer has been passed to the operating system or the socket has closed. */
  async waitUntilDrained(): Promise<void> {
    const { stream } = this;
    if (!stream.writableNeedDrain || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        stream.off('drain', settle);
        stream.off('close', settle);
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }

  /** Sends a close frame and drops the queued frames. */
  close(code: CloseCode): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.queue.length = 0;
    this.socket.close(code);
  }

  /** Resolves when no frame is being handled or queued. */
  async waitUntilIdle(): Promise<void> {
    while (this.isHandling) await this.handling;
  }

  /** Queues a text frame for handling. Closes the socket when its queue is full. */
  enqueue(text: string): void {
    this.hasReceived = true;
    if (this.isClosing) return;
    if (this.queue.length >= realtimeLimits.maxQueuedFrames) {
      this.close(closeCodes.flooding);
      return;
    }
    this.queue.push({ text, receivedAt: performance.now() });
    if (!this.isHandling) this.handling = this.handleQueue();
  }

  /**
   * Pings a silent peer, and disconnects one that does not answer. Call this every `heartbeatCheckMs`.
   * @param now epoch ms.
   */
  checkHeartbeat(now: number): void {
    if (this.hasReceived) {
      this.hasReceived = false;
      this.silentSince = now;
      this.pingedAt = undefined;
    }
    if (this.pingedAt !== undefined) {
      if (now - this.pingedAt >= realtimeLimits.pongWithinMs) this.socket.terminate();
      return;
    }
    const isSilent = now - this.silentSince >= PING_AFTER_MS;
    if (!isSilent) return;
    this.pingedAt = now;
    this.socket.ping();
  }

  private async handleQueue(): Promise<void> {
    this.isHandling = true;
    for (let frame = this.queue.shift(); frame; frame = this.queue.shift())
      await this.handleFrame(frame.text, frame.receivedAt);
    this.isHandling = false;
  }
}
