import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler, Response } from 'express';
import type { Environment } from '../../config/environment.config';
import type { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';

/** How long an idle connection stays open; longer than nginx's `keepalive_timeout` of 60 s. */
const KEEP_ALIVE_MS = 65_000;
/** Delay before idle connections are closed, for a request that a proxy is just sending on one of them. */
const IDLE_GRACE_MS = 1_000;

/** After this many turns of the event loop without a new connection, none is waiting. */
const QUIET_TURNS = 2;
/** Maximum time for accepting the waiting connections, as a busy port receives new ones all the time. */
const ACCEPT_TIMEOUT_MS = 500;

/** How often Node checks for slow clients. By default, the time-outs below would take effect up to 30 s late. */
const CHECK_SLOW_CLIENTS_EVERY_MS = 2_000;

/** Connections that the kernel queues until they are accepted, e.g. when all clients of a dead replica reconnect. */
const BACKLOG = 4_096;

/** Listens on the public port. @returns the port, also when PORT is 0. */
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
  // An option of createServer. Nest has already created the server, but Node only reads the property on `listening`.
  Object.assign(server, { connectionsCheckingInterval: CHECK_SLOW_CLIENTS_EVERY_MS });
  // For the headers, for the whole request, and between two requests.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
};

/** Tracks open requests and closes the public port at shutdown without failing any of them. */
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
   * Accepts the connections that the kernel has already established: closing the listener would reset them, and a
   * proxy may be unable to retry a request that it has sent on one.
   */
  private async acceptWaiting(): Promise<void> {
    let quietTurns = 0;
    const resetQuietTurns = () => (quietTurns = 0);
    this.server.on('connection', resetQuietTurns);
    const deadline = performance.now() + ACCEPT_TIMEOUT_MS;
    while (quietTurns < QUIET_TURNS && performance.now() < deadline) {
      quietTurns += 1;
      await nextTurn();
    }
    this.server.off('connection', resetQuietTurns);
  }

  /**
   * Stops accepting at once, because a proxy can safely retry a refused connection elsewhere. Open requests still get
   * a response, with `Connection: close`.
   */
  private async stopListening(): Promise<void> {
    await this.acceptWaiting();
    // http.Server.close() also closes idle connections, on which a request may be in flight; net.Server's does not.
    net.Server.prototype.close.call(this.server);
    for (const response of this.responses) if (!response.headersSent) response.set('Connection', 'close');
    await delay(IDLE_GRACE_MS);
    for (const response of this.responses) if (!response.closed) await once(response, 'close');
    this.server.closeIdleConnections();
  }
}
