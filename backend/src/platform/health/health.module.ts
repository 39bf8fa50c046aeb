import { Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { SchemaCheckService } from '../database/schema-check.service';
import { REDIS } from '../redis/redis.module';
import { getMaxFailoverMs, type RedisClient } from '../redis/redis-connection.factory';
import { pingAny } from '../redis/redis-nodes.functions';
import { HealthCheckRegistry } from './health-check.registry';
import { InternalServerService } from './internal-server.service';

@Global()
@Module({
  providers: [HealthCheckRegistry, InternalServerService, SchemaCheckService],
  exports: [HealthCheckRegistry, InternalServerService, SchemaCheckService],
})
export class HealthModule implements OnModuleInit {
  constructor(
    private readonly healthChecks: HealthCheckRegistry,
    private readonly schema: SchemaCheckService,
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.healthChecks.register('database', () => this.schema.isReady());
    this.healthChecks.register('redis', () => pingAny(this.redis), {
      // The replica stays ready during a failover.
      mayFailForMs: getMaxFailoverMs(this.environment),
    });
  }
}
