import { type ServerEvent } from '@thaw/contract/server-frames';
import { type SocketLike } from '@/lib/socket/socket-client';

interface SentFrame {
  event: string;
  data?: unknown;
  ref?: string;
}

// Values of `readyState`, as in WebSocket.
const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

/** A fake WebSocket; the test acts as the server. */
export class FakeSocket implements SocketLike {
  readyState: SocketLike['readyState'] = CONNECTING;
  onopen: SocketLike['onopen'] = null;
  onmessage: SocketLike['onmessage'] = null;
  onclose: SocketLike['onclose'] = null;
  readonly sent: SentFrame[] = [];
  /** Close code of the client: null while the client has not closed, undefined for a close without a code. */
  closedWith: number | undefined | null = null;

  send = (text: Parameters<SocketLike['send']>[0]): void => {
    if (typeof text !== 'string') throw new Error('Text frames only');
    this.sent.push(JSON.parse(text) as SentFrame);
  };

  close = (code?: number): void => {
    this.readyState = CLOSED;
    this.closedWith = code;
  };

  // Methods for tests: act as the server, or inspect the sent frames.
  // The types of the handlers declare `this: WebSocket`. The casts drop it, because a FakeSocket is no WebSocket.

  /** Opens the socket. */
  accept(): void {
    this.readyState = OPEN;
    (this.onopen as ((event: Event) => void) | null)?.(new Event('open'));
  }

  /** Sends a frame to the client. */
  deliver(event: ServerEvent, data?: unknown, ref?: string): void {
    this.deliverText(JSON.stringify({ event, data, ...(ref === undefined ? {} : { ref }) }));
  }

  deliverText(text: string): void {
    (this.onmessage as ((event: MessageEvent) => void) | null)?.(new MessageEvent('message', { data: text }));
  }

  /** Closes the socket as the server does, or as a lost connection does (1006). */
  drop(code: number): void {
    this.readyState = CLOSED;
    // Not every version of jsdom has a CloseEvent constructor with a code; the client reads only `code`.
    (this.onclose as ((event: { code: number }) => void) | null)?.({ code });
  }

  findLast(event: string): SentFrame | undefined {
    return this.sent.findLast((frame) => frame.event === event);
  }

  count(event: string): number {
    return this.sent.filter((frame) => frame.event === event).length;
  }

  /** Sends an ack for the last frame of this event. */
  ack(event: string, data: unknown = {}): void {
    this.deliver('ack', data, this.findLast(event)?.ref);
  }

  /** Sends an error for the last frame of this event. */
  refuse(event: string, code: string, retryAfterMs?: number): void {
    this.deliver('error', { code, message: 'refused', retryAfterMs }, this.findLast(event)?.ref);
  }
}
