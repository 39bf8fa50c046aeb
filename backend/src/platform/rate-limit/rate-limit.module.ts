import { Global, Module } from '@nestjs/common';
import { MetricsRegistry } from '../observability/metrics.registry';
import { RateLimiterService } from './rate-limiter.service';

/** Rate limits for all modules, and the metric of their refusals. */
@Global()
@Module({ providers: [RateLimiterService], exports: [RateLimiterService] })
export class RateLimitModule {
  constructor(limiter: RateLimiterService, metrics: MetricsRegistry) {
    metrics.addLiveLabelledCounter('thaw_rate_limited_total', 'Refusals by rate limits, by bucket', () =>
      [...limiter.refusals].map(([bucket, count]) => [{ bucket }, count] as const),
    );
  }
}
