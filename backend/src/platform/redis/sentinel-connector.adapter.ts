import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Works around a defect of ioredis 6.0.0. While it reconnects, its old subscriptions to the Sentinels stay open. If a
 * Sentinel then announces a new primary, ioredis aborts the current attempt and all later ones. This connector closes
 * the subscriptions (`disconnect`) before each attempt; the new connection subscribes again.
 */
export class SteadySentinelConnector extends SentinelConnector {
  // The option `Connector` of ioredis requires a class whose constructor accepts `unknown`.
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(
    ...parameters: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    this.disconnect();
    return super.connect(...parameters);
  }
}
