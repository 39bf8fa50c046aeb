import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';

/** The connection for the request path: commands fail fast and are never sent twice. */
export const REDIS = Symbol('REDIS');

/** Delay before attempt number `attempt` to reconnect to Redis: longer each time, up to a second. */
export const reconnectDelayMs = (attempt: number): number => Math.min(50 * attempt, 1_000);

const requestPath: RedisOptions = {
  commandTimeout: 500,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2_000,
  retryStrategy: reconnectDelayMs,
};

/** Opens a connection with the options of the request path. Errors reach the failing command; it then reconnects. */
export const connectRedis = (url: string, options: RedisOptions = {}): Redis => {
  const redis = new Redis(url, { ...requestPath, ...options });
  redis.on('error', () => undefined);
  return redis;
};

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => connectRedis(environment.REDIS_URL),
    },
  ],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

const COMMAND_TIMEOUT_MS = 5_000;

/** For commands of operators, whose first command to Redis may wait until the connection is open. */
@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) =>
        connectRedis(environment.REDIS_URL, { enableOfflineQueue: true, commandTimeout: COMMAND_TIMEOUT_MS }),
    },
  ],
  exports: [REDIS],
})
export class CommandRedisModule extends RedisModule {}
