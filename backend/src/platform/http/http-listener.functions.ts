import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler, Response } from 'express';
import type { Environment } from '../../config/environment.config';
import type { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';

/** How long an idle connection stays open: longer than nginx's `keepalive_timeout` (60 s), so nginx closes it first. */
const KEEP_ALIVE_MS = 65_000;
/** How long idle connections stay open at shutdown, because a proxy may just be sending a request on one of them. */
const IDLE_GRACE_MS = 1_000;

const HEADERS_TIMEOUT_MS = 10_000;
/** Maximum time for receiving the headers and the body. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks for slow clients. With its default, these time-outs would take effect up to 30 s late. */
const CHECK_SLOW_CLIENTS_EVERY_MS = 2_000;

/** Node accepts connections in every iteration of the event loop. After this number without one, none is waiting. */
const QUIET_ITERATIONS = 2;
/** Maximum time for accepting the waiting connections, because a busy port receives new ones all the time. */
const ACCEPT_TIMEOUT_MS = 500;

/** Maximum number of connections that wait in the kernel. Many do when all clients of a dead replica reconnect. */
const BACKLOG = 4_096;

/**
 * Listens on the public port.
 * @returns the port. If PORT is 0, the system has chosen it.
 */
export const listen = async (
  app: NestExpressApplication,
  { PORT, HOST }: Pick<Environment, 'PORT' | 'HOST'>,
): Promise<number> => {
  // Nest passes the backlog on to Node, although its type omits the parameter.
  const listenOn = app.listen.bind(app) as (
    port: number,
    host?: string,
    backlog?: number,
  ) => Promise<unknown>;
  await listenOn(PORT, HOST, BACKLOG);
  return (app.getHttpServer().address() as AddressInfo).port;
};

/** Sets time-outs for slow clients. Call this before the server listens. */
export const limitSlowClients = (server: Server): void => {
  // This is an option of createServer, which Nest has already called. Node reads it from the server on `listening`.
  Object.assign(server, { connectionsCheckingInterval: CHECK_SLOW_CLIENTS_EVERY_MS });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
};

/** Tracks the requests without a complete response. At shutdown, closes the public port and waits for the responses. */
export class OpenRequests {
  private readonly responses = new Set<Response>();

  constructor(
    private readonly server: Server,
    private readonly gracefulShutdown: GracefulShutdownService,
  ) {
    gracefulShutdown.register('listeners', 'public port', () => this.stopListening());
  }

  readonly track: RequestHandler = (_request, response, next) => {
    this.responses.add(response);
    response.once('close', () => this.responses.delete(response));
    if (this.gracefulShutdown.isStopping) response.set('Connection', 'close');
    next();
  };

  /**
   * Accepts the connections that the kernel has already established. Closing the listener would reset them, and a proxy
   * may be unable to retry a request that it has sent on such a connection.
   */
  private async acceptWaiting(): Promise<void> {
    let quietIterations = 0;
    const onConnection = (): void => {
      quietIterations = 0;
    };
    this.server.on('connection', onConnection);
    const deadline = performance.now() + ACCEPT_TIMEOUT_MS;
    while (quietIterations < QUIET_ITERATIONS && performance.now() < deadline) {
      quietIterations += 1;
      await nextIteration();
    }
    this.server.off('connection', onConnection);
  }

  /**
   * Refuses new connections early in the shutdown: a proxy can safely retry a refused one with another replica. Open
   * requests still get a response, with `Connection: close`.
   */
  private async stopListening(): Promise<void> {
    await this.acceptWaiting();
    // Unlike http.Server.close(), net.Server.close() keeps idle connections open, on which a request may be in flight.
    net.Server.prototype.close.call(this.server);
    for (const response of this.responses) {
      if (!response.headersSent) response.set('Connection', 'close');
    }
    await delay(IDLE_GRACE_MS);
    for (const response of this.responses) {
      if (!response.closed) await once(response, 'close');
    }
    this.server.closeIdleConnections();
  }
}
