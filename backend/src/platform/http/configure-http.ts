import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { DomainError } from '../errors/domain-error';
import { HealthChecks } from '../health/health-checks';
import { GracefulStop } from '../lifecycle/graceful-stop';
import { AppLogger } from '../observability/app-logger';
import { Metrics } from '../observability/metrics';
import { RateLimiter } from '../rate-limit/rate-limiter';
import { AllowedOrigins } from './allowed-origins';
import { clientSubject } from './client-subject';
import { HttpErrorFilter } from './http-error.filter';
import { jsonBody } from './json-body';
import { limitSlowClients, OpenRequests } from './listening';
import { publicFolder } from './public-folder';
import { requestLog } from './request-log';
import { securityHeaders } from './security-headers';
import { setUpApiDocs } from './api-docs';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const neverStored: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Whatever else there is has been answered before. */
const apiOnly: RequestHandler = (request, _response, next) => {
  next(/^\/api(\/|$)/.test(request.path) ? undefined : new DomainError('not_found'));
};

const fromOwnPages =
  (origins: AllowedOrigins): RequestHandler =>
  (request, _response, next) => {
    next(
      safeMethods.has(request.method) || origins.allows(request) ? undefined : new DomainError('bad_origin'),
    );
  };

const withinRate =
  (limiter: RateLimiter): RequestHandler =>
  (request, _response, next) => {
    limiter.require('http', clientSubject(request.ip)).then(() => next(), next);
  };

/** All that stands between a connection and the controllers, in the order in which a request meets it. */
export const configureHttp = (app: NestExpressApplication): void => {
  const environment = app.get<Environment>(ENVIRONMENT);
  const server = app.getHttpServer();
  const openRequests = new OpenRequests(server, app.get(GracefulStop));
  // The internal port answers first, and whoever asks there must not be sent to a port that refuses.
  app.get(HealthChecks).register('listening', async () => server.listening);

  app.set('trust proxy', environment.TRUST_PROXY);
  app.set('etag', false);
  app.disable('x-powered-by');
  app.setGlobalPrefix('api');
  app.useGlobalFilters(app.get(HttpErrorFilter));

  app.use(requestLog(app.get(AppLogger), app.get(Metrics)));
  app.use(openRequests.track);
  app.use(securityHeaders(environment));
  app.use(fromOwnPages(app.get(AllowedOrigins)));
  if (environment.PUBLIC_DIR) app.use(publicFolder(environment.PUBLIC_DIR));
  app.use(apiOnly);
  app.use('/api', neverStored);
  app.use('/api', withinRate(app.get(RateLimiter)));
  app.use('/api', jsonBody);
  if (environment.API_DOCS) setUpApiDocs(app);

  limitSlowClients(server);
};
