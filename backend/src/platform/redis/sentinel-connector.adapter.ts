import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Corrects ioredis 6.0.0: while a lost connection is opened again, its subscriptions to Sentinel still exist, and the
 * announcement of a new primary ends the attempt and, with it, all further ones. Here they are closed before each
 * attempt; the new connection opens others.
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
