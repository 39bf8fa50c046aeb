import { Global, Module } from '@nestjs/common';
import { AppLogger } from './app-logger';
import { Metrics } from './metrics';
import { ENVIRONMENT, type Environment } from '../../config/environment';

@Global()
@Module({
  providers: [
    {
      provide: AppLogger,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => new AppLogger(environment),
    },
    Metrics,
  ],
  exports: [AppLogger, Metrics],
})
export class ObservabilityModule {}
