import { Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { SchemaCheckService } from '../database/schema-check.service';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
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
  ) {}

  onModuleInit(): void {
    this.healthChecks.register('database', () => this.schema.isReady());
    this.healthChecks.register('redis', async () => (await this.redis.ping()) === 'PONG');
  }
}
