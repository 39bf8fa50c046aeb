import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './api.module';
import { loadEnvironment } from './config/environment';
import { InternalServer } from './platform/health/internal-server';
import { configureHttp } from './platform/http/configure-http';
import { handleProcessSignals } from './platform/lifecycle/process-signals';
import { AppLogger } from './platform/observability/app-logger';
import { OrderedWsAdapter } from './platform/realtime/ordered-ws.adapter';

const start = async (): Promise<void> => {
  const environment = loadEnvironment(process.env);
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.forRoot(environment), {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  const logger = app.get(AppLogger);
  app.useLogger(logger);
  configureHttp(app);
  app.useWebSocketAdapter(new OrderedWsAdapter(app));
  handleProcessSignals(app);

  const internalPort = await app.get(InternalServer).start();
  await (environment.HOST ? app.listen(environment.PORT, environment.HOST) : app.listen(environment.PORT));
  logger.write('info', `Serving on port ${environment.PORT}, health and metrics on ${internalPort}`);
};

start().catch((error: unknown) => {
  console.error(`Cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exit(1);
});
