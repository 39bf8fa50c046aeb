import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { ProcessEventsService } from '../process-events/process-events.service';
import { connectSubscriber, type RedisClient } from '../redis/redis-connection.factory';
import { REDIS } from '../redis/redis.module';
import { probeChannel } from '../redis/redis.keys';

type ChannelListener = (message: string) => void;

/** A probe is published when nothing has been received for this long. */
const PROBE_AFTER_SILENCE_MS = 5_000;
/** How often the silence is checked. A probe that has not arrived at the next check is missed. */
const CHECK_EVERY_MS = 1_000;
/** The subscriber is replaced after this many missed probes in a row. */
const MISSES_BEFORE_REPLACEMENT = 2;
/** Channels per SUBSCRIBE, so that no command is unlimited in size. */
const CHANNELS_PER_CALL = 500;

/**
 * Redis pub/sub of this replica: one connection, with reference-counted channels.
 * Checks the whole path, not only the connection: after a silence it publishes a probe to itself, and replaces the
 * subscriber when two probes in a row do not arrive.
 */
@Injectable()
export class RedisSubscriberService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisSubscriberService.name);
  /** How often the subscriber has reconnected and subscribed to its channels again. */
  rebuildCount = 0;
  private readonly listeners = new Map<string, Set<ChannelListener>>();
  /** Channels whose subscription is confirmed or pending. */
  private readonly subscriptions = new Map<string, Promise<unknown>>();
  private subscriber!: ReturnType<typeof connectSubscriber>;
  private receivedAt = 0;
  private probedAt: number | undefined;
  private missedProbes = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly events: ProcessEventsService,
  ) {}

  /** Whether publications reach this replica. */
  get isReceiving(): boolean {
    return this.subscriber.status === 'ready' && this.missedProbes === 0;
  }

  async onModuleInit(): Promise<void> {
    this.connect();
    await this.subscribe(probeChannel(this.environment.replicaId), () => undefined);
    this.receivedAt = Date.now();
    this.timer = setInterval(() => this.probe(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    this.subscriber.disconnect();
  }

  /** Resolves once Redis has confirmed; the listener receives everything published afterwards. */
  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    const listeners = this.listeners.get(channel);
    if (listeners) listeners.add(listener);
    else this.listeners.set(channel, new Set([listener]));
    await this.waitForSubscription(channel);
  }

  unsubscribe(channel: string, listener: ChannelListener): void {
    const listeners = this.listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.listeners.delete(channel);
    this.subscriptions.delete(channel);
    this.subscriber.unsubscribe(channel).catch(() => undefined); // a lost connection ends the subscription, too
  }

  /** Subscribes to a channel unless that is done, and resolves once Redis has confirmed. */
  private async waitForSubscription(channel: string): Promise<void> {
    let pending = this.subscriptions.get(channel);
    if (!pending) {
      pending = this.subscriber.subscribe(channel);
      this.subscriptions.set(channel, pending);
    }
    try {
      await pending;
    } catch (error) {
      if (this.subscriptions.get(channel) === pending) this.subscriptions.delete(channel);
      throw error;
    }
  }

  private connect(): void {
    const subscriber = connectSubscriber(this.environment);
    let connections = 0;
    subscriber.on('ready', () => {
      connections += 1;
      if (connections > 1) void this.resubscribe(subscriber);
    });
    subscriber.on('message', (channel: string, message: string) => {
      this.receivedAt = Date.now();
      this.missedProbes = 0;
      this.probedAt = undefined;
      this.dispatch(channel, message);
    });
    this.subscriber = subscriber;
  }

  /** A throwing listener must neither prevent the others from receiving the message nor end the process. */
  private dispatch(channel: string, message: string): void {
    for (const listener of this.listeners.get(channel) ?? []) {
      try {
        listener(message);
      } catch (error) {
        this.logger.error(
          `A listener failed on a message: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
        );
      }
    }
  }

  /** Subscribes a new connection to all channels. */
  private async resubscribe(subscriber: ReturnType<typeof connectSubscriber>): Promise<void> {
    if (this.isStopped || subscriber !== this.subscriber) return;
    const channels = [...this.listeners.keys()];
    this.subscriptions.clear();
    try {
      for (let start = 0; start < channels.length; start += CHANNELS_PER_CALL) {
        const page = channels.slice(start, start + CHANNELS_PER_CALL);
        const pending = subscriber.subscribe(...page);
        for (const channel of page) this.subscriptions.set(channel, pending);
        await pending;
      }
      this.receivedAt = Date.now();
      this.rebuildCount += 1;
      this.events.publish('SubscriberRestored', {});
    } catch {
      this.subscriptions.clear(); // connection lost again; the next 'ready' starts over
    }
  }

  private probe(): void {
    const now = Date.now();
    if (this.probedAt !== undefined && now - this.probedAt >= CHECK_EVERY_MS) {
      this.missedProbes += 1;
      this.probedAt = undefined;
      if (this.missedProbes >= MISSES_BEFORE_REPLACEMENT) {
        this.replaceSubscriber();
        return;
      }
    }
    const isSilent = now - this.receivedAt >= PROBE_AFTER_SILENCE_MS;
    if (this.probedAt !== undefined || !isSilent) return;
    this.probedAt = now;
    this.redis.publish(probeChannel(this.environment.replicaId), '').catch(() => undefined); // counted as a miss
  }

  private replaceSubscriber(): void {
    this.logger.warn('The Redis subscriber receives nothing; replacing it');
    this.missedProbes = 1; // not ready until a message is received
    this.probedAt = undefined;
    this.subscriber.disconnect();
    this.connect();
    const { subscriber } = this;
    subscriber.once('ready', () => void this.resubscribe(subscriber));
  }
}
