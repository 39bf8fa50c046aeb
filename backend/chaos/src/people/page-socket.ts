import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import { WebSocket } from 'ws';

export interface Frame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

/** Why a request has no answer. */
export type Silence = 'closed' | 'timeout';

const HANDSHAKE_WITHIN_MS = 10_000;
/** The page's timeout for an ack. */
export const ANSWER_WITHIN_MS = 10_000;

interface Pending {
  settle: (answer: Frame | Silence) => void;
  onAnswer: ((frame: Frame) => void) | undefined;
}

/** One socket of a page: delivers frames in order and matches answers by ref. */
export class PageSocket {
  isOpen = false;
  isClosed = false;
  private refs = 0;
  private readonly pending = new Map<string, Pending>();
  private readonly socket: WebSocket;

  /** @param on called with `open`, then with frames in the order of their arrival, then once with `close`. */
  constructor(
    origin: string,
    cookie: string,
    private readonly on: { open(): void; frame(frame: Frame): void; close(code: number): void },
  ) {
    this.socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/ws`, {
      headers: { cookie, origin },
      handshakeTimeout: HANDSHAKE_WITHIN_MS,
    });
    this.socket.on('open', () => {
      this.isOpen = true;
      this.on.open();
    });
    this.socket.on('message', (raw) => this.receive(JSON.parse((raw as Buffer).toString()) as Frame));
    this.socket.on('error', () => undefined); // followed by `close`
    this.socket.on('close', (code) => this.closed(code));
  }

  /**
   * Sends a frame with a ref and waits for any answer.
   * @param onAnswer called with the answer before any later frame is received, even after the timeout: the acknowledged
   * event precedes the frames that follow.
   */
  ask<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAnswer?: (frame: Frame) => void,
  ): Promise<Frame | Silence> {
    if (!this.isOpen || this.isClosed) return Promise.resolve('closed');
    this.refs += 1;
    const ref = String(this.refs);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), ANSWER_WITHIN_MS);
      const settle = (answer: Frame | Silence): void => {
        clearTimeout(timer);
        this.pending.delete(ref);
        resolve(answer);
      };
      this.pending.set(ref, { settle, onAnswer });
      this.socket.send(JSON.stringify({ event, data, ref }));
    });
  }

  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.isOpen && !this.isClosed) this.socket.send(JSON.stringify({ event, data }));
  }

  /** Closes the socket like a page that is left. */
  leave(): void {
    this.socket.close(1000);
    // A page that is gone does not wait for a silent server's close frame.
    setTimeout(() => this.socket.terminate(), 2_000).unref();
  }

  /** Terminates a socket that does not answer. */
  drop(): void {
    this.socket.terminate();
    this.closed(1006);
  }

  private receive(frame: Frame): void {
    if (this.isClosed) return;
    const pending = frame.ref === undefined ? undefined : this.pending.get(frame.ref);
    pending?.onAnswer?.(frame);
    this.on.frame(frame);
    pending?.settle(frame);
  }

  private closed(code: number): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { settle } of [...this.pending.values()]) settle('closed');
    this.on.close(code);
  }
}
