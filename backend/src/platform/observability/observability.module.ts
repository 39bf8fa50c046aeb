import { Global, Module } from '@nestjs/common';
import { AppLoggerService } from './app-logger.service';
import { MetricsRegistry } from './metrics.registry';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';

@Global()
@Module({
  providers: [
    {
      provide: AppLoggerService,
      inject: [ENVIRONMENT],
      // Nest cannot inject the optional second parameter of the constructor.
      useFactory: (environment: Environment) => new AppLoggerService(environment),
    },
    MetricsRegistry,
  ],
  exports: [AppLoggerService, MetricsRegistry],
})
export class ObservabilityModule {}
