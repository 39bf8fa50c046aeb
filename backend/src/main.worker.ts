import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import { InternalServerService } from './platform/health/internal-server.service';
import { handleProcessSignals } from './platform/lifecycle/process-signals.functions';
import { AppLoggerService } from './platform/observability/app-logger.service';
import { claimRedisLayout } from './platform/redis/redis-layout.functions';
import { WorkerModule } from './worker.module';

const start = async (): Promise<void> => {
  const environment = loadEnvironment(process.env);
  // Throws if Redis holds the keys of an incompatible release.
  await claimRedisLayout(environment);
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(environment), {
    bufferLogs: true,
    abortOnError: false, // an error reaches the `catch` below
  });
  const logger = app.get(AppLoggerService);
  app.useLogger(logger);
  handleProcessSignals(app);
  const internalPort = await app.get(InternalServerService).start();
  logger.write('info', `The worker has started; health and metrics are on port ${internalPort}`);
};

start().catch((error: unknown) => {
  console.error(`Cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exit(1);
});
