import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import { WebSocket } from 'ws';

export interface Frame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

/** Why a request has no response. */
export type NoResponse = 'closed' | 'timeout';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** The page waits this long for a response. */
export const RESPONSE_TIMEOUT_MS = 10_000;
const NORMAL_CLOSE_CODE = 1000;
/** Code of a close without a close frame. */
const ABNORMAL_CLOSE_CODE = 1006;

interface PendingRequest {
  settle: (response: Frame | NoResponse) => void;
  onResponse: ((frame: Frame) => void) | undefined;
}

/** One socket of a page: delivers frames in order, and matches responses to requests by their `ref`. */
export class PageSocket {
  private wasOpened = false;
  private isClosed = false;
  private lastRef = 0;
  /** Requests without a response, including those that have timed out. */
  private readonly pending = new Map<string, PendingRequest>();
  private readonly socket: WebSocket;

  /**
   * @param handlers called in this order: `onOpen`, `onFrame` for each frame in the order of arrival, including
   * responses, and finally `onClose`. A socket that does not open calls only `onClose`.
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
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    this.socket.on('open', () => {
      this.wasOpened = true;
      this.handlers.onOpen();
    });
    this.socket.on('message', (raw) => this.receive(JSON.parse((raw as Buffer).toString()) as Frame));
    this.socket.on('error', () => undefined); // followed by `close`
    this.socket.on('close', (code) => this.handleClose(code));
  }

  /**
   * Sends a frame with a `ref` and waits for its response. A refusal is a response, too.
   * @param onResponse called with the response before any later frame is passed on, so that the caller records the
   * acknowledged chat event before later events of the chat. It is also called when the response arrives after this
   * method has returned `timeout`.
   */
  request<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onResponse?: (frame: Frame) => void,
  ): Promise<Frame | NoResponse> {
    if (!this.wasOpened || this.isClosed) return Promise.resolve('closed');
    this.lastRef += 1;
    const ref = String(this.lastRef);
    return new Promise((resolve) => {
      // The request stays in `pending`, so that a late response still reaches `onResponse`.
      const timer = setTimeout(() => resolve('timeout'), RESPONSE_TIMEOUT_MS);
      const settle = (response: Frame | NoResponse): void => {
        clearTimeout(timer);
        this.pending.delete(ref);
        resolve(response);
      };
      this.pending.set(ref, { settle, onResponse });
      this.socket.send(JSON.stringify({ event, data, ref }));
    });
  }

  send<E extends ClientEvent>(event: E, data: ClientInput<E>): void {
    if (this.wasOpened && !this.isClosed) this.socket.send(JSON.stringify({ event, data }));
  }

  /** Closes the socket as a page does when the user leaves it. */
  leave(): void {
    this.socket.close(NORMAL_CLOSE_CODE);
    // A server that does not respond sends no close frame.
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  /** Terminates a socket whose server does not respond. */
  drop(): void {
    this.socket.terminate();
    // Reports the close without waiting for the `close` event, which is then ignored.
    this.handleClose(ABNORMAL_CLOSE_CODE);
  }

  private receive(frame: Frame): void {
    if (this.isClosed) return;
    const request = frame.ref === undefined ? undefined : this.pending.get(frame.ref);
    request?.onResponse?.(frame);
    this.handlers.onFrame(frame);
    request?.settle(frame);
  }

  private handleClose(code: number): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { settle } of this.pending.values()) settle('closed');
    this.handlers.onClose(code);
  }
}
