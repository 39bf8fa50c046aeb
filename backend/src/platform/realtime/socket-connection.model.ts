import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { closeCodes, type CloseCode } from '@thaw/contract/close-codes';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import { realtimeLimits } from './realtime.limits';
import type { SocketIdentity } from './socket-identity.port';
import { writeTextFrame } from './text-frame.codec';

/** @param receivedAt when the frame was read (monotonic, ms). */
export type FrameHandler = (text: string, receivedAt: number) => Promise<void>;

/** One socket, whose frames are handled one at a time, in order of arrival, with bounded queues in both directions. */
export class SocketConnection {
  readonly id = randomBytes(9).toString('base64url');
  isAuthenticated = false;
  /** Whether the page on this socket shows the user's chat, which makes the user present there (A51). */
  showsChat = true;
  private readiness: Promise<void> = Promise.resolve();
  private hasBecomeReady = false;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  private readonly queue: string[] = [];
  /** When each frame of the queue was read (monotonic, ms). */
  private readonly queuedAt: number[] = [];
  private isHandling = false;
  private pingedAt: number | undefined;
  private lastReceivedAt: number;
  /** Whether the peer has sent anything since the last `checkHeartbeat`. */
  private hasReceived = false;
  private isClosing = false;

  constructor(
    private readonly socket: WebSocket,
    /** The underlying connection. */
    private readonly stream: Duplex,
    readonly identity: SocketIdentity,
    private readonly handle: FrameHandler,
    now: number,
  ) {
    this.lastReceivedAt = now;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('pong', () => (this.hasReceived = true));
  }

  /** Settles when the socket is registered and subscribed to its user's channel; the first frame waits for it. */
  get ready(): Promise<void> {
    return this.readiness;
  }

  set ready(readiness: Promise<void>) {
    this.readiness = readiness;
    void readiness.finally(() => (this.hasBecomeReady = true));
  }

  get isReady(): boolean {
    return this.hasBecomeReady;
  }

  get isOpen(): boolean {
    return !this.isClosing && this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends one serialised frame. Closes the socket with 1013 when the client does not read fast enough. */
  send(frame: string): void {
    if (!this.isOpen) return;
    writeTextFrame(this.stream, frame);
    if (this.stream.writableLength > realtimeLimits.bufferedBytes) this.close(closeCodes.consumerTooSlow);
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

  close(code: CloseCode): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.queue.length = 0;
    this.queuedAt.length = 0;
    this.socket.close(code);
  }

  /** Resolves when no frame is being handled or queued. */
  async waitUntilIdle(): Promise<void> {
    while (this.isHandling) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Queues a text frame for handling. Closes the socket when its queue is full. */
  enqueue(text: string): void {
    this.hasReceived = true;
    if (this.isClosing) return;
    if (this.queue.length >= realtimeLimits.queuedFrames) {
      this.close(closeCodes.flooding);
      return;
    }
    this.queue.push(text);
    this.queuedAt.push(performance.now());
    if (!this.isHandling) void this.drain();
  }

  /** Pings a silent peer, and disconnects one that does not answer. Call this every `heartbeatMs`. */
  checkHeartbeat(now: number): void {
    if (this.hasReceived) {
      this.hasReceived = false;
      this.lastReceivedAt = now;
      this.pingedAt = undefined;
    }
    if (this.pingedAt !== undefined) {
      if (now - this.pingedAt >= realtimeLimits.pongWithinMs) this.socket.terminate();
    } else if (now - this.lastReceivedAt >= realtimeLimits.pingEveryMs - realtimeLimits.heartbeatMs) {
      this.pingedAt = now;
      this.socket.ping();
    }
  }

  private async drain(): Promise<void> {
    this.isHandling = true;
    for (let text = this.queue.shift(); text !== undefined; text = this.queue.shift()) {
      await this.handle(text, this.queuedAt.shift() ?? 0);
    }
    this.isHandling = false;
  }
}
