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
  /** Whether the page on this socket shows the user's chat. The user is present in the chat while one socket does. */
  showsChat = true;
  private readiness: Promise<void> = Promise.resolve();
  private hasBecomeReady = false;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  private readonly queue: string[] = [];
  /** When each frame of `queue` was read (monotonic, ms); always as long as `queue`. */
  private readonly receivedAtOfQueue: number[] = [];
  private isHandling = false;
  /** When the pending ping was sent (epoch ms); undefined if none is pending. */
  private pingedAt: number | undefined;
  /** When `checkHeartbeat` last noticed that the peer had sent something (epoch ms). */
  private lastReceivedAt: number;
  /** Whether the peer has sent anything since the last `checkHeartbeat`. */
  private hasReceived = false;
  private isClosing = false;

  constructor(
    private readonly socket: WebSocket,
    /** The underlying TCP connection. */
    private readonly stream: Duplex,
    readonly identity: SocketIdentity,
    private readonly handleFrame: FrameHandler,
    openedAtMs: number,
  ) {
    this.lastReceivedAt = openedAtMs;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('pong', () => (this.hasReceived = true));
  }

  /** Settles when the socket is registered and subscribed to its user's channel. Frames are handled after that. */
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
    this.receivedAtOfQueue.length = 0;
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
    if (this.queue.length >= realtimeLimits.maxQueuedFrames) {
      this.close(closeCodes.flooding);
      return;
    }
    this.queue.push(text);
    this.receivedAtOfQueue.push(performance.now());
    if (!this.isHandling) void this.handleQueue();
  }

  /**
   * Pings a silent peer, and disconnects one that does not answer. Call this every `heartbeatCheckMs`.
   * @param now epoch ms.
   */
  checkHeartbeat(now: number): void {
    if (this.hasReceived) {
      this.hasReceived = false;
      this.lastReceivedAt = now;
      this.pingedAt = undefined;
    }
    // One check earlier than `pingEveryMs`, because the next check would be too late.
    const isSilent =
      now - this.lastReceivedAt >= realtimeLimits.pingEveryMs - realtimeLimits.heartbeatCheckMs;
    if (this.pingedAt !== undefined) {
      if (now - this.pingedAt >= realtimeLimits.pongWithinMs) this.socket.terminate();
    } else if (isSilent) {
      this.pingedAt = now;
      this.socket.ping();
    }
  }

  private async handleQueue(): Promise<void> {
    this.isHandling = true;
    for (let text = this.queue.shift(); text !== undefined; text = this.queue.shift()) {
      await this.handleFrame(text, this.receivedAtOfQueue.shift() ?? 0);
    }
    this.isHandling = false;
  }
}
