import type { Redis } from 'ioredis';

/** After this much time without a message, a probe is published. */
const PROBE_AFTER_SILENCE_MS = 5_000;
/** A probe that has not arrived after this time counts as missed. */
const PROBE_TIMEOUT_MS = 1_000;
/** The connection is replaced after this many missed probes in a row. */
const MISSES_BEFORE_REPLACEMENT = 2;

interface SubscriberConnectionOptions {
  /**
   * Whether the connection replaces one that missed its probes. Such a connection counts as receiving only after its
   * first message, is probed without delay, and is replaced after one missed probe.
   */
  isReplacement: boolean;
  onMessage(channel: string, message: string): void;
  /** The connection was lost and is open again, without any subscription. */
  onReconnected(): void;
  /** The server has ended subscriptions, because their slots have moved to another server. */
  onSlotsMoved(): void;
  /** Publishes a probe on the channel, over another connection. */
  publishProbe(channel: string): Promise<unknown>;
}

/**
 * The connection for subscriptions to one server of Redis. Checks that it receives messages: after a silence, a probe
 * (a message to one of the connection's own channels) is published and has to arrive.
 */
export class SubscriberConnection {
  private readonly channels = new Set<string>();
  /** When the last message arrived or the connection was opened (epoch ms). 0: a new replacement counts as silent. */
  private receivedAt: number;
  /** When the pending probe was published (epoch ms); undefined if none is pending. */
  private probedAt: number | undefined;
  /** Number of probes in a row that did not arrive. */
  private missedProbes: number;
  private isClosed = false;

  constructor(
    private readonly redis: Redis,
    private readonly options: SubscriberConnectionOptions,
  ) {
    const { isReplacement } = options;
    // One more missed probe, and the replacement is replaced.
    this.missedProbes = isReplacement ? MISSES_BEFORE_REPLACEMENT - 1 : 0;
    this.receivedAt = isReplacement ? 0 : Date.now();
    let wasReady = false;
    redis.on('ready', () => {
      if (wasReady) this.handleReconnection();
      wasReady = true;
    });
    redis.on('smessage', (channel: string, message: string) => {
      this.receivedAt = Date.now();
      this.missedProbes = 0;
      this.probedAt = undefined;
      options.onMessage(channel, message);
    });
    redis.on('moved', () => {
      // ioredis does not report which channels moved, so all are subscribed again; subscribing twice is harmless.
      this.channels.clear();
      options.onSlotsMoved();
    });
  }

  private handleReconnection(): void {
    this.channels.clear();
    this.receivedAt = Date.now();
    this.probedAt = undefined;
    // `missedProbes` is kept: only a message shows that the connection receives again.
    this.options.onReconnected();
  }

  /** Number of channels that are subscribed or being subscribed. */
  get channelCount(): number {
    return this.channels.size;
  }

  get isReceiving(): boolean {
    return this.redis.status === 'ready' && this.missedProbes === 0;
  }

  has(channel: string): boolean {
    return this.channels.has(channel);
  }

  /** Resolves once Redis has confirmed. @throws errors of Redis, such as MOVED. */
  async subscribe(channel: string): Promise<void> {
    this.channels.add(channel);
    try {
      await this.redis.ssubscribe(channel);
    } catch (error) {
      this.channels.delete(channel);
      throw error;
    }
  }

  unsubscribe(channel: string): void {
    this.channels.delete(channel);
    if (this.isClosed) return;
    this.redis.sunsubscribe(channel).catch(() => undefined); // a lost connection ends the subscription, too
  }

  close(): void {
    this.isClosed = true;
    this.channels.clear();
    this.redis.disconnect();
  }

  /** Publishes a probe if necessary. Call this every second. @returns false if the connection must be replaced. */
  probe(): boolean {
    const now = Date.now();
    if (this.probedAt !== undefined) {
      if (now - this.probedAt < PROBE_TIMEOUT_MS) return true; // it may still arrive
      this.probedAt = undefined;
      this.missedProbes += 1;
      if (this.missedProbes >= MISSES_BEFORE_REPLACEMENT) return false;
    }
    const [channel] = this.channels;
    const isSilent = now - this.receivedAt >= PROBE_AFTER_SILENCE_MS;
    if (isSilent && channel !== undefined) {
      this.probedAt = now;
      // A probe that cannot be published does not arrive, and so counts as missed.
      this.options.publishProbe(channel).catch(() => undefined);
    }
    return true;
  }
}
