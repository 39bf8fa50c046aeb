import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './api.module';
import type { Environment } from './config/environment.config';
import { configureHttp } from './platform/http/http.config';
import { AppLoggerService } from './platform/observability/app-logger.service';
import { OrderedWsAdapter } from './platform/realtime/ordered-ws.adapter';

/** Creates an api replica with all middleware and the WebSocket adapter. It does not listen yet. */
export const createApiApplication = async (environment: Environment): Promise<NestExpressApplication> => {
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.forRoot(environment), {
    bodyParser: false, // `configureHttp` installs its own
    logger: new AppLoggerService(environment),
    abortOnError: false, // an error reaches the caller
  });
  configureHttp(app);
  app.useWebSocketAdapter(new OrderedWsAdapter(app));
  return app;
};
