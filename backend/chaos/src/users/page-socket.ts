import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import { WebSocket } from 'ws';

export interface Frame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

/** Why a request has no response. */
export type NoAnswer = 'closed' | 'timeout';

const HANDSHAKE_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 2_000;
/** The page's timeout for an ack. */
export const ANSWER_WITHIN_MS = 10_000;

interface Pending {
  settle: (answer: Frame | NoAnswer) => void;
  onAnswer: ((frame: Frame) => void) | undefined;
}

/** One socket of a page: delivers frames in order and matches answers by ref. */
export class PageSocket {
  isOpen = false;
  isClosed = false;
  private lastRef = 0;
  private readonly pending = new Map<string, Pending>();
  private readonly socket: WebSocket;

  /**
   * @param handlers called in this order: `onOpen`, `onFrame` for each frame in the order of arrival, and once
   * `onClose`.
   */
  constructor(
    origin: string,
    cookie: string,
    private readonly handlers: {
      onOpen(): void;
      onFrame(frame: Frame): void;
      onClose(code: number): void;
    },
  ) {
    this.socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/ws`, {
      headers: { cookie, origin },
      handshakeTimeout: HANDSHAKE_WITHIN_MS,
    });
    this.socket.on('open', () => {
      this.isOpen = true;
      this.handlers.onOpen();
    });
    this.socket.on('message', (raw) => this.receive(JSON.parse((raw as Buffer).toString()) as Frame));
    this.socket.on('error', () => undefined); // followed by `close`
    this.socket.on('close', (code) => this.handleClose(code));
  }

  /**
   * Sends a frame with a ref and waits for its response.
   * @param onAnswer called with the response before any later frame is received, even after the timeout: the event that
   * it acknowledges precedes the frames that follow.
   */
  request<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAnswer?: (frame: Frame) => void,
  ): Promise<Frame | NoAnswer> {
    if (!this.isOpen || this.isClosed) return Promise.resolve('closed');
    this.lastRef += 1;
    const ref = String(this.lastRef);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), ANSWER_WITHIN_MS);
      const settle = (reply: Frame | NoAnswer): void => {
        clearTimeout(timer);
        this.pending.delete(ref);
        resolve(reply);
      };
      this.pending.set(ref, { settle, onAnswer });
      this.socket.send(JSON.stringify({ event, data, ref }));
    });
  }

  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.isOpen && !this.isClosed) this.socket.send(JSON.stringify({ event, data }));
  }

  /** Closes the socket as a page does when the user leaves it. */
  leave(): void {
    this.socket.close(1000);
    // A closed page does not wait for the close frame of a server that does not answer.
    setTimeout(() => this.socket.terminate(), CLOSE_WITHIN_MS).unref();
  }

  /** Terminates a socket that does not answer. */
  drop(): void {
    this.socket.terminate();
    this.handleClose(1006);
  }

  private receive(frame: Frame): void {
    if (this.isClosed) return;
    const pending = frame.ref === undefined ? undefined : this.pending.get(frame.ref);
    pending?.onAnswer?.(frame);
    this.handlers.onFrame(frame);
    pending?.settle(frame);
  }

  private handleClose(code: number): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { settle } of [...this.pending.values()]) settle('closed');
    this.handlers.onClose(code);
  }
}
