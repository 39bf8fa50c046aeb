import { type ServerFrame } from '@thaw/contract/server-frames';
import { type Clock } from '@/lib/clock';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface RequestOptions {
  timeoutMs?: number;
  /** Called with the data of the ack before the next frame is handled. Code that awaits the promise may run later. */
  onAck?: (data: Record<string, unknown>) => void;
}

interface PendingRequest {
  settle: (outcome: { data: Record<string, unknown> } | { error: SocketRequestError }) => void;
  /** A ping checks the connection; all other requests are commands. */
  isPing: boolean;
}

const ackTimeoutMs = 10_000;

/** Requests waiting for their response, by `ref`, the id that the client gives a request and the response repeats. */
export class PendingRequests {
  private nextRef = 1;
  private readonly requests = new Map<string, PendingRequest>();

  constructor(private readonly clock: Clock) {}

  /** Whether a request other than a ping is pending. */
  get hasCommand(): boolean {
    return [...this.requests.values()].some(({ isPing }) => !isPing);
  }

  /**
   * Adds a request and sends it with a new ref.
   * @returns the data of the response; rejects with a SocketRequestError when the request is refused or times out, or
   * the connection closes
   */
  add(
    { event, timeoutMs = ackTimeoutMs, onAck }: RequestOptions & { event: string },
    send: (ref: string) => void,
  ): Promise<Record<string, unknown>> {
    const { clock, requests } = this;
    const ref = String(this.nextRef++);
    return new Promise((resolve, reject) => {
      const settle: PendingRequest['settle'] = (outcome) => {
        requests.delete(ref);
        clock.clearTimeout(timer);
        if ('error' in outcome) return reject(outcome.error);
        onAck?.(outcome.data);
        resolve(outcome.data);
      };
      const timer = clock.setTimeout(() => settle({ error: new SocketRequestError('timeout') }), timeoutMs);
      requests.set(ref, { settle, isPing: event === 'ping' });
      send(ref);
    });
  }

  /** If the frame is the response to a pending request, settles the request and returns true. */
  settleRequestOf(frame: ServerFrame): boolean {
    const request = frame.ref === undefined ? undefined : this.requests.get(frame.ref);
    if (!request) return false;
    if (frame.event === 'error') {
      const { code, retryAfterMs } = frame.data;
      request.settle({ error: new SocketRequestError('refused', code, retryAfterMs) });
    } else {
      // A pong has no data.
      request.settle({ data: frame.data ?? {} });
    }
    return true;
  }

  rejectAll(error: SocketRequestError): void {
    for (const request of [...this.requests.values()]) request.settle({ error });
  }
}
