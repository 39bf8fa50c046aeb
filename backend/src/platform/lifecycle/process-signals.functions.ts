import type { INestApplicationContext } from '@nestjs/common';
import { AppLoggerService } from '../observability/app-logger.service';
import { GracefulShutdownService } from './graceful-shutdown.service';

/** Shuts down gracefully on SIGTERM and SIGINT; logs uncaught errors and ends the process. */
export const handleProcessSignals = (app: INestApplicationContext): void => {
  const logger = app.get(AppLoggerService);
  const gracefulShutdown = app.get(GracefulShutdownService);

  const stop = (signal: NodeJS.Signals) => {
    if (gracefulShutdown.isStopping) return;
    logger.write('info', `Stopping on ${signal}`);
    void gracefulShutdown.stop(() => app.close()).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const crash = (error: unknown) => {
    logger.logFailure('Ended by an uncaught error', error);
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
};
