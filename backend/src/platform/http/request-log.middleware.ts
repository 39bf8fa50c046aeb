import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { AppLoggerService } from '../observability/app-logger.service';
import type { MetricsRegistry } from '../observability/metrics.registry';

/** nginx's status for a request whose client closed the connection before the response was complete. */
const CLIENT_CLOSED_REQUEST = 499;
/**
 * Request ids that proxies generate: UUIDs, and 32 hexadecimal digits (nginx's `$request_id`). Other values are not
 * logged, because they could contain any text.
 */
const proxyIdPattern = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** The path of the request's route, such as `/api/user/:userId`; 'none' if no route handles the request. */
const readRouteTemplate = (request: Request): string => {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'none';
};

/** Assigns each request a correlation id. When the request ends, writes one log line and records its duration. */
export const logRequests = (logger: AppLoggerService, metrics: MetricsRegistry): RequestHandler => {
  const duration = metrics.addHistogram('thaw_http_request_duration_seconds', 'Time to answer a request', [
    'method',
    'route',
    'status',
  ]);
  return (request, response, next) => {
    const requestId = request.get('x-request-id');
    const correlationId = requestId && proxyIdPattern.test(requestId) ? requestId : randomUUID();
    const startedAt = performance.now();
    response.set('X-Request-Id', correlationId);
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = readRouteTemplate(request);
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
      duration.observe({ method: request.method, route, status: String(status) }, durationMs / 1_000);
      logger.write(status >= 500 ? 'error' : 'info', 'Request', {
        correlationId,
        method: request.method,
        route,
        status,
        durationMs: Math.round(durationMs),
        userId: request.user?.userId,
        code: response.locals.errorCode as string | undefined,
      });
    });
    // The error filter reads the id from the response, not from an AsyncLocalStorage, which on Node 20 would slow down
    // every promise of the process (docs/decisions/0005-no-async-local-storage.md).
    response.locals.correlationId = correlationId;
    next();
  };
};
