import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { connectRedis, type RedisClient, waitForFirstAttempt } from './redis-connection.factory';

/** The connection for the request path: commands fail fast and are never sent twice. */
export const REDIS = Symbol('REDIS');

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: async (environment: Environment) => {
        const redis = connectRedis(environment);
        await waitForFirstAttempt(redis);
        return redis;
      },
    },
  ],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

const OPERATION_TIMEOUT_MS = 5_000;

/**
 * Provides the connection for the command-line programs of operators. They have nothing to do while Redis is down, so
 * their first Redis command waits until the connection is open.
 */
@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) =>
        connectRedis(environment, { enableOfflineQueue: true, commandTimeout: OPERATION_TIMEOUT_MS }),
    },
  ],
  exports: [REDIS],
})
export class CommandRedisModule extends RedisModule {}
