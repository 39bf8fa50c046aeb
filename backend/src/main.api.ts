import 'reflect-metadata';
import { createApiApplication } from './api-application';
import { loadEnvironment } from './config/environment';
import { InternalServer } from './platform/health/internal-server';
import { listen } from './platform/http/listening';
import { handleProcessSignals } from './platform/lifecycle/process-signals';
import { AppLogger } from './platform/observability/app-logger';
import { claimRedisLayout } from './platform/redis/redis-layout';

const start = async (): Promise<void> => {
  const environment = loadEnvironment(process.env);
  await claimRedisLayout(environment.REDIS_URL);
  const app = await createApiApplication(environment);
  handleProcessSignals(app);

  const internalPort = await app.get(InternalServer).start();
  const port = await listen(app, environment);
  app.get(AppLogger).write('info', `Serving on port ${port}, health and metrics on ${internalPort}`);
};

start().catch((error: unknown) => {
  console.error(`Cannot start: ${error instanceof Error ? error.message : 'unknown error'}`);
  process.exit(1);
});
