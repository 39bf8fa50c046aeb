import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Works around a defect of ioredis 6.0.0. While it reconnects, the subscriptions of the old connection to Sentinel stay
 * open, and the announcement of a new primary then aborts this attempt and all later ones. This connector closes the
 * subscriptions before each attempt; the new connection subscribes again.
 */
export class SteadySentinelConnector extends SentinelConnector {
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
