import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { LinkKind } from '../schedule';

export const DELAY_MS = 400;

/** A connection of the near end to the far end, through the link. */
interface LinkedConnection {
  near: Socket;
  far: Socket;
  directions: readonly Direction[];
}

/**
 * A TCP proxy between two processes, which can be made to fail. The near end of a connection is the process that opens
 * it, and the far end is the target. The faults last until `restore`:
 * - cut: open connections are reset, and so are new ones;
 * - delay: adds 0.4 s in each direction;
 * - black-hole: connections stay open, and nothing passes. `restore` delivers all buffered data, as TCP retransmission
 *   does;
 * - throttle: 8 KiB a second for each connection and direction;
 * - half-open: the far ends of all connections are closed, and the near ends are not notified; new connections receive
 *   no data. `restore` resets the near ends, as a host does after a restart;
 * - abandoned: the near ends of all connections are reset and may open new ones at once, and the far ends are not
 *   notified. `restore` closes the far ends.
 */
export class FaultyLink {
  fault: LinkKind | undefined;
  private readonly server: Server;
  private readonly connections = new Set<LinkedConnection>();

  private constructor(private readonly target: { host: string; port: number }) {
    this.server = createServer({ allowHalfOpen: true }, (near) => this.open(near));
  }

  /** Starts a link to a target. It listens on a free port of the loopback address. */
  static async startTo(target: { host: string; port: number }): Promise<FaultyLink> {
    const link = new FaultyLink(target);
    link.server.listen(0, '127.0.0.1');
    await once(link.server, 'listening');
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Whether the fault blocks all connections: nothing passes, not even a close. */
  get blocksAll(): boolean {
    return this.fault === 'black-hole' || this.fault === 'half-open';
  }

  /** Replaces the address in the URL of a store by that of this link, so that connections to it use the link. */
  routeUrl(storeUrl: string): string {
    const url = new URL(storeUrl);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  fail(fault: LinkKind): void {
    this.fault = fault;
    if (fault === 'cut') this.resetAll();
    if (fault === 'half-open') this.closeFarEnds();
    if (fault === 'abandoned') this.abandonAll();
  }

  /** Ends the fault. */
  restore(): void {
    const endedFault = this.fault;
    this.fault = undefined;
    if (endedFault === 'half-open') this.resetAll();
    for (const direction of [...this.connections].flatMap(({ directions }) => directions)) {
      direction.isAbandoned = false;
      // An end that closed during `black-hole` or `abandoned`: the other end is only notified now.
      if (direction.from.destroyed) direction.to.destroy();
      else direction.forwardDue();
    }
  }

  async close(): Promise<void> {
    this.fault = undefined;
    this.resetAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private open(near: Socket): void {
    near.on('error', () => undefined); // followed by `close`
    if (this.fault === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.target, allowHalfOpen: true });
    near.setNoDelay(true);
    far.setNoDelay(true);
    let isConnected = false;
    far.once('connect', () => (isConnected = true));
    // When the target is down, the near end is reset, because a proxy cannot refuse a connection that it has accepted.
    far.once('error', () => {
      if (!isConnected && !this.blocksAll) near.resetAndDestroy();
    });
    const directions = [new Direction(this, near, far), new Direction(this, far, near)];
    const connection = { near, far, directions };
    this.connections.add(connection);
    const removeWhenClosed = () => {
      if (!near.destroyed || !far.destroyed) return;
      for (const direction of directions) direction.clearTimer();
      this.connections.delete(connection);
    };
    near.once('close', removeWhenClosed);
    far.once('close', removeWhenClosed);
    // As `fail` does for the connections that are already open: the near end stays open and receives no data.
    if (this.fault === 'half-open') far.destroy();
  }

  private closeFarEnds(): void {
    for (const { far } of this.connections) far.destroy();
  }

  private abandonAll(): void {
    for (const { near, directions } of this.connections) {
      for (const direction of directions) direction.isAbandoned = true;
      near.resetAndDestroy();
    }
  }

  private resetAll(): void {
    for (const { near, far } of this.connections) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }
}

const THROTTLED_BYTES_PER_S = 8 * 1024;
/** Shortest wait until buffered data is checked again. */
const TICK_MS = 50;
/**
 * Size of the throttle's token bucket: the bytes of two ticks. A bucket of one tick would overflow whenever a timer is
 * late, and the rate would be lower.
 */
const MAX_ALLOWANCE_BYTES = (2 * THROTTLED_BYTES_PER_S * TICK_MS) / 1_000;

/** One direction of a connection: buffers the data of one end until the other end may receive it. */
class Direction {
  private readonly buffered: { bytes: Buffer; dueAt: number }[] = [];
  /** Whether the sending end has sent its last byte. */
  private isEnded = false;
  /** Set when `abandoned` begins, for the connections that are open then, until the link is restored. */
  isAbandoned = false;
  private timer: NodeJS.Timeout | undefined;
  /** Token bucket of the fault `throttle`, at most `MAX_ALLOWANCE_BYTES`. */
  private allowanceBytes = 0;
  private refilledAt = Date.now();

  constructor(
    private readonly link: FaultyLink,
    readonly from: Socket,
    readonly to: Socket,
  ) {
    from.on('data', (bytes: Buffer) => {
      const delayMs = link.fault === 'delay' ? DELAY_MS : 0;
      this.buffered.push({ bytes, dueAt: Date.now() + delayMs });
      if (this.appliesBackPressure) from.pause();
      this.forwardDue();
    });
    from.on('end', () => {
      this.isEnded = true;
      this.forwardDue();
    });
    from.on('error', () => undefined); // followed by `close`
    from.on('close', () => {
      clearTimeout(this.timer);
      if (!this.isBlocked) to.destroy();
    });
  }

  /** Whether nothing passes in this direction, not even a close. */
  private get isBlocked(): boolean {
    return this.link.blocksAll || this.isAbandoned;
  }

  /** Whether to stop reading after each chunk, so that the buffers of the sender fill and it notices the fault. */
  private get appliesBackPressure(): boolean {
    const { fault } = this.link;
    return fault === 'black-hole' || fault === 'throttle' || this.isAbandoned;
  }

  /** Writes the buffered data that is due now to the receiving end, and schedules the rest. */
  forwardDue(): void {
    clearTimeout(this.timer);
    if (this.isBlocked) return;
    const now = Date.now();
    this.writeDue(now);
    const next = this.buffered[0];
    if (next) this.timer = setTimeout(() => this.forwardDue(), Math.max(TICK_MS, next.dueAt - now));
    else if (this.isEnded) this.to.end();
    else this.from.resume();
  }

  private writeDue(now: number): void {
    while (this.buffered[0] && this.buffered[0].dueAt <= now) {
      const { bytes } = this.buffered[0];
      const passedBytes = this.link.fault === 'throttle' ? this.takeAllowance(bytes, now) : bytes;
      if (passedBytes.length > 0 && !this.to.destroyed) this.to.write(passedBytes);
      if (passedBytes.length < bytes.length) {
        this.buffered[0].bytes = bytes.subarray(passedBytes.length);
        return;
      }
      this.buffered.shift();
    }
  }

  /** @returns the part of `bytes` that the throttle permits now */
  private takeAllowance(bytes: Buffer, now: number): Buffer {
    this.allowanceBytes = Math.min(
      MAX_ALLOWANCE_BYTES,
      this.allowanceBytes + (THROTTLED_BYTES_PER_S * (now - this.refilledAt)) / 1_000,
    );
    this.refilledAt = now;
    const passedBytes = bytes.subarray(0, Math.floor(this.allowanceBytes));
    this.allowanceBytes -= passedBytes.length;
    return passedBytes;
  }

  clearTimer(): void {
    clearTimeout(this.timer);
  }
}
