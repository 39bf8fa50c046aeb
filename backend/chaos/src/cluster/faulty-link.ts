import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { LinkKind } from '../schedule';

const DELAY_MS = 400;
const THROTTLED_BYTES_PER_S = 8 * 1024;
/** Shortest interval between two writes of data that is delayed or throttled. */
const TICK_MS = 50;

/** One direction of a connection: buffers what one end sent until the other end may receive it. */
class Direction {
  private readonly waiting: { bytes: Buffer; dueAt: number }[] = [];
  private isEnded = false;
  /** The near end has lost the connection, and the far end is not notified. */
  isAbandoned = false;
  private timer: NodeJS.Timeout | undefined;
  private allowanceBytes = 0;
  private refilledAt = Date.now();

  constructor(
    private readonly link: FaultyLink,
    readonly from: Socket,
    readonly to: Socket,
  ) {
    from.on('data', (bytes: Buffer) => {
      const delayMs = link.fault === 'delay' ? DELAY_MS : 0;
      this.waiting.push({ bytes, dueAt: Date.now() + delayMs });
      // Stop reading, so that the sender's own buffers fill and the sender notices the fault.
      if (link.fault === 'black-hole' || link.fault === 'throttle' || this.isAbandoned) from.pause();
      this.forwardDue();
    });
    from.on('end', () => {
      this.isEnded = true;
      this.forwardDue();
    });
    from.on('error', () => undefined); // followed by `close`
    from.on('close', () => {
      clearTimeout(this.timer);
      // In a partition, and towards an end that is half-open, the close does not get through either.
      if (!this.isHeldBack) to.destroy();
    });
  }

  private get isHeldBack(): boolean {
    return this.link.isSilent || this.isAbandoned;
  }

  /** Writes to the far end what is due now. */
  forwardDue(): void {
    clearTimeout(this.timer);
    if (this.isHeldBack) return;
    const now = Date.now();
    while (this.waiting[0] && this.waiting[0].dueAt <= now) {
      const { bytes } = this.waiting[0];
      const passed = this.link.fault === 'throttle' ? this.takeAllowance(bytes, now) : bytes;
      if (passed.length > 0 && !this.to.destroyed) this.to.write(passed);
      if (passed.length < bytes.length) {
        this.waiting[0].bytes = bytes.subarray(passed.length);
        break;
      }
      this.waiting.shift();
    }
    const next = this.waiting[0];
    if (next) this.timer = setTimeout(() => this.forwardDue(), Math.max(TICK_MS, next.dueAt - now));
    else if (this.isEnded) this.to.end();
    else this.from.resume();
  }

  /** The beginning of `bytes`, as much as the throttle permits now. */
  private takeAllowance(bytes: Buffer, now: number): Buffer {
    const bytesPerTick = (THROTTLED_BYTES_PER_S * TICK_MS) / 1_000;
    this.allowanceBytes = Math.min(
      bytesPerTick * 2,
      this.allowanceBytes + (THROTTLED_BYTES_PER_S * (now - this.refilledAt)) / 1_000,
    );
    this.refilledAt = now;
    const passed = bytes.subarray(0, Math.floor(this.allowanceBytes));
    this.allowanceBytes -= passed.length;
    return passed;
  }

  clearTimer(): void {
    clearTimeout(this.timer);
  }
}

/**
 * A TCP proxy between two processes, which can be made to fail:
 * - cut: open connections are reset, and so are new ones;
 * - delay: adds 0.4 s in each direction;
 * - black-hole: connections stay open and nothing gets through. After healing, everything held back is delivered, as by
 *   TCP retransmission;
 * - throttle: 8 KiB a second for each connection and direction;
 * - half-open: the far ends of all connections are closed and the near ends are not notified; new connections get no
 *   answer. After healing the near ends are reset, as by a host that has restarted;
 * - abandoned: the reverse. The near ends lose their connections and may open new ones at once. The far ends keep the
 *   old connections and are notified only after healing.
 */
export class FaultyLink {
  fault: LinkKind | undefined;
  private readonly server: Server;
  private readonly directions = new Set<Direction>();

  private constructor(private readonly target: { host: string; port: number }) {
    this.server = createServer({ allowHalfOpen: true }, (near) => this.open(near));
  }

  /** Listens on a free port of the loopback address. */
  static async startTo(target: { host: string; port: number }): Promise<FaultyLink> {
    const link = new FaultyLink(target);
    link.server.listen(0, '127.0.0.1');
    await once(link.server, 'listening');
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing gets through, not even the close of a connection. */
  get isSilent(): boolean {
    return this.fault === 'black-hole' || this.fault === 'half-open';
  }

  /** A store's URL, changed to go through this link. */
  routeUrl(storeUrl: string): string {
    const url = new URL(storeUrl);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  fail(fault: LinkKind): void {
    this.fault = fault;
    if (fault === 'cut') this.resetAll();
    if (fault === 'half-open') for (const far of this.getSockets('far')) far.destroy();
    if (fault === 'abandoned') {
      for (const direction of this.directions) direction.isAbandoned = true;
      for (const near of this.getSockets('near')) near.resetAndDestroy();
    }
  }

  restore(): void {
    const healedFault = this.fault;
    this.fault = undefined;
    if (healedFault === 'half-open') this.resetAll();
    for (const direction of this.directions) {
      direction.isAbandoned = false;
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
    near.on('error', () => undefined);
    if (this.fault === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.target, allowHalfOpen: true });
    near.setNoDelay(true);
    far.setNoDelay(true);
    let isConnected = false;
    far.once('connect', () => (isConnected = true));
    // The target is down. A proxy that listens cannot refuse a connection; a reset is the closest to that.
    far.once('error', () => {
      if (!isConnected && !this.isSilent) near.resetAndDestroy();
    });
    const pair = [new Direction(this, near, far), new Direction(this, far, near)];
    for (const direction of pair) this.directions.add(direction);
    const removeWhenClosed = () => {
      if (!near.destroyed || !far.destroyed) return;
      for (const direction of pair) {
        direction.clearTimer();
        this.directions.delete(direction);
      }
    };
    near.once('close', removeWhenClosed);
    far.once('close', removeWhenClosed);
    if (this.fault === 'half-open') far.destroy();
  }

  /**
   * The sockets of all connections at one end. The directions are in pairs, of which the first leads from near to far.
   */
  private getSockets(end: 'near' | 'far'): Socket[] {
    return [...this.directions]
      .filter((_, index) => index % 2 === 0)
      .map(({ from, to }) => (end === 'near' ? from : to));
  }

  private resetAll(): void {
    for (const { from, to } of [...this.directions]) {
      from.resetAndDestroy();
      to.resetAndDestroy();
    }
  }
}
