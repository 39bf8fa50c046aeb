import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { ProcessEventsService } from '../process-events/process-events.service';
import {
  createSubscriberRoutes,
  type RedisClient,
  type SubscriberRoutes,
} from '../redis/redis-connection.factory';
import { REDIS } from '../redis/redis.module';
import { probeChannel } from '../redis/redis.keys';
import { SubscriberConnection } from './subscriber-connection.model';

export type ChannelListener = (message: string) => void;

/** A channel with listeners. */
interface Subscription {
  readonly channel: string;
  readonly listeners: Set<ChannelListener>;
  /** The connection on which the channel is subscribed or being subscribed. */
  connection: SubscriberConnection | undefined;
  /** Resolves when Redis has confirmed the subscription; undefined after a failed attempt. */
  confirmed: Promise<void> | undefined;
}

/** How often connections are checked and lost channels are looked for. */
const CHECK_EVERY_MS = 1_000;
/** Maximum number of channels that are subscribed concurrently after a loss. */
const MAX_CHANNELS_PER_BATCH = 500;
/**
 * Maximum number of failed attempts in a row to subscribe a channel. When the channel has moved to another server of a
 * cluster, the attempts fail until `routes.refresh` has found that server.
 */
const MAX_SUBSCRIBE_ATTEMPTS = 5;
const RETRY_DELAY_MS = 100;

/**
 * Redis pub/sub of this replica, with reference-counted channels. Channels are sharded: each belongs to a hash slot,
 * and a publication reaches only the server of that slot. There is one connection to each server that has channels.
 *
 * Checks delivery, not only the connections: after a silence it publishes a probe to itself, and replaces a connection
 * when two probes in a row do not arrive. Every second it looks for channels whose slot has moved to another server,
 * and subscribes them there (docs/decisions/0071-publications-are-sharded.md).
 */
@Injectable()
export class RedisSubscriberService implements OnModuleInit, OnApplicationShutdown {
  /** Number of runs of `restore` that subscribed lost channels again; a metric reads it. */
  restoreCount = 0;
  private readonly logger = new Logger(RedisSubscriberService.name);
  private readonly routes: SubscriberRoutes;
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly connectionsByServer = new Map<string, SubscriberConnection>();
  private timer: NodeJS.Timeout | undefined;
  /** The run of `restore` in progress. */
  private restoring: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly events: ProcessEventsService,
  ) {
    this.routes = createSubscriberRoutes(environment, redis);
  }

  /**
   * Whether publications of at least one server reach this replica: while one primary of a cluster is being replaced,
   * the others still deliver.
   */
  get isReceiving(): boolean {
    return [...this.connectionsByServer.values()].some(({ isReceiving }) => isReceiving);
  }

  async onModuleInit(): Promise<void> {
    // A connection is probed on one of its channels. This channel is subscribed even while no socket is open, so that
    // there is always a connection to probe.
    await this.subscribe(probeChannel(this.environment.replicaId), () => undefined);
    this.timer = setInterval(() => this.check(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    for (const connection of this.connectionsByServer.values()) connection.close();
    this.connectionsByServer.clear();
  }

  /**
   * Resolves once Redis has confirmed; the listener receives everything published afterwards.
   * @throws errors of Redis; the listener stays registered, and `check` tries again every second.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<void> {
    let subscription = this.subscriptions.get(channel);
    if (!subscription) {
      subscription = { channel, listeners: new Set(), connection: undefined, confirmed: undefined };
      this.subscriptions.set(channel, subscription);
    }
    subscription.listeners.add(listener);
    await (subscription.confirmed ?? this.startSubscribing(subscription));
  }

  /** Removes a listener. After the last one, the channel is unsubscribed. */
  unsubscribe(channel: string, listener: ChannelListener): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription?.listeners.delete(listener) || subscription.listeners.size > 0) return;
    this.subscriptions.delete(channel);
    subscription.connection?.unsubscribe(channel);
  }

  /** Sets `confirmed`. @throws errors of Redis; the next `check` tries again. */
  private startSubscribing(subscription: Subscription): Promise<void> {
    const confirmed = this.subscribeOnServer(subscription);
    subscription.confirmed = confirmed;
    confirmed.catch(() => {
      if (subscription.confirmed === confirmed) subscription.confirmed = undefined;
    });
    return confirmed;
  }

  /**
   * Subscribes on the server that serves the channel, and waits while no server does.
   * @throws errors of Redis after the last attempt.
   */
  private async subscribeOnServer(subscription: Subscription): Promise<void> {
    let failures = 0;
    // The last listener may be removed meanwhile.
    while (subscription.listeners.size > 0) {
      const connection = this.findOrOpenConnection(subscription.channel);
      if (connection) {
        try {
          return await this.subscribeOnConnection(subscription, connection);
        } catch (error) {
          failures += 1;
          if (failures === MAX_SUBSCRIBE_ATTEMPTS) throw error;
        }
      }
      if (this.isStopped) throw new Error('Connection is closed.'); // as ioredis does
      await Promise.all([this.routes.refresh(), sleep(RETRY_DELAY_MS)]);
    }
  }

  private async subscribeOnConnection(
    subscription: Subscription,
    connection: SubscriberConnection,
  ): Promise<void> {
    const { channel } = subscription;
    // The channel has moved to another server, or its connection was replaced.
    if (subscription.connection !== connection) subscription.connection?.unsubscribe(channel);
    subscription.connection = connection;
    try {
      await connection.subscribe(channel);
    } catch (error) {
      // A concurrent call may have chosen another connection.
      if (subscription.connection === connection) subscription.connection = undefined;
      throw error;
    }
  }

  /**
   * Returns the connection to the server of the channel, and opens it if there is none yet.
   * @returns undefined while no server serves the channel, as before the first connection to a cluster.
   */
  private findOrOpenConnection(channel: string): SubscriberConnection | undefined {
    const server = this.routes.findServer(channel);
    if (server === undefined || this.isStopped) return undefined;
    const existing = this.connectionsByServer.get(server);
    if (existing) return existing;
    const connection = this.openConnection(server);
    this.connectionsByServer.set(server, connection);
    return connection;
  }

  /** @param options.isReplacement see `SubscriberConnectionOptions` */
  private openConnection(server: string, { isReplacement = false } = {}): SubscriberConnection {
    return new SubscriberConnection(this.routes.openConnection(server), {
      isReplacement,
      onMessage: (channel, message) => this.dispatch(channel, message),
      onReconnected: () => void this.restore(),
      onSlotsMoved: () => void this.routes.refresh().then(() => this.restore()),
      publishProbe: (channel) => this.redis.spublish(channel, ''),
    });
  }

  /** Passes a message to its listeners. An empty message is a probe. A throwing listener must not affect the others. */
  private dispatch(channel: string, message: string): void {
    if (message === '') return;
    for (const listener of this.subscriptions.get(channel)?.listeners ?? []) {
      try {
        listener(message);
      } catch (error) {
        this.logger.error(
          `A listener failed on a message: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`,
        );
      }
    }
  }

  private check(): void {
    for (const [server, connection] of this.connectionsByServer) {
      // `probe` also reports whether earlier probes have arrived.
      if (!connection.probe()) {
        this.logger.warn('The Redis subscriber receives nothing; replacing it');
        this.connectionsByServer.set(server, this.openConnection(server, { isReplacement: true }));
        connection.close();
      } else if (connection.channelCount === 0) {
        this.connectionsByServer.delete(server); // its channels have moved or were unsubscribed
        connection.close();
      }
    }
    if (this.findLostSubscriptions().length > 0) void this.restore();
  }

  private findLostSubscriptions(): Subscription[] {
    return [...this.subscriptions.values()].filter((subscription) => this.isLost(subscription));
  }

  /** Whether the channel is not subscribed on the server that serves it now. */
  private isLost({ channel, connection, confirmed }: Subscription): boolean {
    if (confirmed === undefined) return true;
    const server = this.routes.findServer(channel);
    if (server === undefined) return false; // while no server serves the channel, it cannot be subscribed again
    const isOnOtherConnection = connection !== this.connectionsByServer.get(server);
    return isOnOtherConnection || !connection?.has(channel);
  }

  /** Subscribes lost channels again. Only one run at a time; `check` finds channels that are lost during it. */
  private restore(): Promise<void> {
    this.restoring ??= this.subscribeLost().finally(() => (this.restoring = undefined));
    return this.restoring;
  }

  private async subscribeLost(): Promise<void> {
    const lost = this.findLostSubscriptions();
    if (lost.length === 0) return;
    try {
      for (let start = 0; start < lost.length && !this.isStopped; start += MAX_CHANNELS_PER_BATCH) {
        const batch = lost.slice(start, start + MAX_CHANNELS_PER_BATCH);
        await Promise.all(batch.map((subscription) => this.startSubscribing(subscription)));
      }
      if (this.isStopped) return;
      this.restoreCount += 1;
      this.events.publish('SubscriberRestored', {});
    } catch {
      // Redis is unavailable; the next check tries again.
    }
  }
}
