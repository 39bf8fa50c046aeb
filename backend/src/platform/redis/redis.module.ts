import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { connectRedis, type RedisClient, waitForFirstConnectionAttempt } from './redis-connection.factory';

/** The connection for requests and frames of users (the request path): commands fail fast and are never sent twice. */
export const REDIS = Symbol('REDIS');

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: async (environment: Environment) => {
        const redis = connectRedis(environment);
        // The process also starts while Redis is down.
        await waitForFirstConnectionAttempt(redis);
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

const OPERATOR_COMMAND_TIMEOUT_MS = 5_000;

/**
 * Provides the connection for the command-line programs of operators. Their start does not wait for the connection:
 * their first Redis command is sent once it is open, and fails if Redis is down.
 */
@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) =>
        connectRedis(environment, { enableOfflineQueue: true, commandTimeout: OPERATOR_COMMAND_TIMEOUT_MS }),
    },
  ],
  exports: [REDIS],
})
export class OperatorRedisModule extends RedisModule {}
