import 'reflect-metadata';
import { createApiApplication } from './api-application.factory';
import { loadEnvironment } from './config/environment.config';
import { InternalServerService } from './platform/health/internal-server.service';
import { listen } from './platform/http/http-listener.functions';
import { handleProcessSignals } from './platform/lifecycle/process-signals.functions';
import { AppLoggerService } from './platform/observability/app-logger.service';
import { claimRedisLayout } from './platform/redis/redis-layout.functions';

const start = async (): Promise<void> => {
  const environment = loadEnvironment(process.env);
  // Throws if Redis holds the keys of an incompatible release.
  await claimRedisLayout(environment);
  const app = await createApiApplication(environment);
  handleProcessSignals(app);

  const internalPort = await app.get(InternalServerService).start();
  const port = await listen(app, environment);
  app.get(AppLoggerService).write('info', `Serving on port ${port}, health and metrics on ${internalPort}`);
};

start().catch((error: unknown) => {
  console.error(`Cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exit(1);
});
