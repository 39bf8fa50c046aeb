import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { DomainError } from '../errors/domain.errors';
import { HealthCheckRegistry } from '../health/health-check.registry';
import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';
import { AppLoggerService } from '../observability/app-logger.service';
import { MetricsRegistry } from '../observability/metrics.registry';
import { RateLimiterService } from '../rate-limit/rate-limiter.service';
import { AllowedOriginsService } from './allowed-origins.service';
import { toRateLimitSubject } from './rate-limit-subject.functions';
import { HttpErrorFilter } from './http-error.filter';
import { readJsonBody } from './json-body.middleware';
import { limitSlowClients, OpenRequests } from './http-listener.functions';
import { servePublicFolder } from './public-folder.middleware';
import { logRequests } from './request-log.middleware';
import { setSecurityHeaders } from './security-headers.middleware';
import { setUpApiDocs } from './openapi.config';

/** Methods that change nothing, so requests of any origin may use them. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Responds with 404 to paths outside /api. With PUBLIC_DIR, `servePublicFolder` runs first and serves the page. */
const refusePathsOutsideApi: RequestHandler = (request, _response, next) => {
  const isApiPath = /^\/api(\/|$)/.test(request.path);
  if (isApiPath) next();
  else next(new DomainError('not_found'));
};

const refuseForeignOrigins =
  (origins: AllowedOriginsService): RequestHandler =>
  (request, _response, next) => {
    const isAllowed = safeMethods.has(request.method) || origins.allows(request);
    if (isAllowed) next();
    else next(new DomainError('bad_origin'));
  };

const limitRequestRate =
  (limiter: RateLimiterService): RequestHandler =>
  (request, _response, next) => {
    limiter.require('http', toRateLimitSubject(request.ip)).then(() => next(), next);
  };

/** Sets up the HTTP server: all middleware in front of the controllers, in the order of execution, and time-outs. */
export const configureHttp = (app: NestExpressApplication): void => {
  const environment = app.get<Environment>(ENVIRONMENT);
  const server = app.getHttpServer();
  const openRequests = new OpenRequests(server, app.get(GracefulShutdownService));
  // The internal port, which serves the health checks, opens before the public port. Until that is open, too, the
  // process is not ready.
  app.get(HealthCheckRegistry).register('listening', async () => server.listening);

  app.set('trust proxy', environment.TRUST_PROXY);
  // Responses of the API are not cached; the route of images sets its own ETag.
  app.set('etag', false);
  app.disable('x-powered-by');
  app.setGlobalPrefix('api');
  app.useGlobalFilters(app.get(HttpErrorFilter));

  app.use(logRequests(app.get(AppLoggerService), app.get(MetricsRegistry)));
  app.use(openRequests.track);
  app.use(setSecurityHeaders(environment));
  app.use(refuseForeignOrigins(app.get(AllowedOriginsService)));
  if (environment.PUBLIC_DIR) app.use(servePublicFolder(environment.PUBLIC_DIR));
  app.use(refusePathsOutsideApi);
  app.use('/api', forbidCaching);
  app.use('/api', limitRequestRate(app.get(RateLimiterService)));
  app.use('/api', readJsonBody);
  if (environment.API_DOCS) setUpApiDocs(app);

  limitSlowClients(server);
};
