import { Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { SchemaCheck } from '../database/schema-check';
import { REDIS } from '../redis/redis.module';
import { HealthChecks } from './health-checks';
import { InternalServer } from './internal-server';

@Global()
@Module({
  providers: [HealthChecks, InternalServer, SchemaCheck],
  exports: [HealthChecks, InternalServer, SchemaCheck],
})
export class HealthModule implements OnModuleInit {
  constructor(
    private readonly healthChecks: HealthChecks,
    private readonly schema: SchemaCheck,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  onModuleInit(): void {
    this.healthChecks.register('database', () => this.schema.isReady());
    this.healthChecks.register('redis', async () => (await this.redis.ping()) === 'PONG');
  }
}
