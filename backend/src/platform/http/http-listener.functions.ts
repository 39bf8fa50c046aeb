import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler, Response } from 'express';
import type { Environment } from '../../config/environment.config';
import type { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';

/** How long a proxy may keep an idle connection to us; longer than nginx's own `keepalive_timeout` of 60 s. */
const KEEP_ALIVE_MS = 65_000;
/** Between the last accepted connection and the closing of idle ones: whoever was about to use one still can. */
const IDLE_GRACE_MS = 1_000;

/** So many turns of the event loop without a new connection mean that none waits; a busy port is not waited for. */
const QUIET_TURNS = 2;
const ACCEPT_WITHIN_MS = 500;

/** How often Node looks for clients that are too slow; by default the timeouts below would be met 30 s late. */
const CHECK_SLOW_CLIENTS_EVERY_MS = 2_000;

/** Connections that the kernel keeps until they are accepted, as when all sockets of a dead replica come back. */
const BACKLOG = 4_096;

/** Serves on the public port. @returns the port. */
export const listen = async (
  app: NestExpressApplication,
  { PORT, HOST }: Pick<Environment, 'PORT' | 'HOST'>,
): Promise<number> => {
  // Nest passes on what its type leaves out.
  const listenOn = app.listen.bind(app) as (
    port: number,
    host?: string,
    backlog?: number,
  ) => Promise<unknown>;
  await listenOn(PORT, HOST, BACKLOG);
  return (app.getHttpServer().address() as AddressInfo).port;
};

/** To be called before the server listens. */
export const limitSlowClients = (server: Server): void => {
  // An option of createServer that is kept as a property, until `listening`; Nest has made the server already.
  Object.assign(server, { connectionsCheckingInterval: CHECK_SLOW_CLIENTS_EVERY_MS });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
};

/** The requests that are being answered, and how the public port is left without failing one of them. */
export class OpenRequests {
  private readonly answers = new Set<Response>();

  constructor(
    private readonly server: Server,
    private readonly gracefulShutdown: GracefulShutdownService,
  ) {
    gracefulShutdown.register('listeners', 'public port', () => this.stopListening());
  }

  readonly track: RequestHandler = (_request, response, next) => {
    this.answers.add(response);
    response.once('close', () => this.answers.delete(response));
    if (this.gracefulShutdown.isStopping) response.set('Connection', 'close');
    next();
  };

  /**
   * Takes in the connections that the kernel has made already: closing the listener would reset them, and a proxy
   * that has sent a request on one may not send it again.
   */
  private async acceptWaiting(): Promise<void> {
    let quietTurns = 0;
    const accepted = () => (quietTurns = 0);
    this.server.on('connection', accepted);
    const deadline = performance.now() + ACCEPT_WITHIN_MS;
    while (quietTurns < QUIET_TURNS && performance.now() < deadline) {
      quietTurns += 1;
      await nextTurn();
    }
    this.server.off('connection', accepted);
  }

  /**
   * A refused connection is safe to try elsewhere, so accepting stops at once. What was accepted is still answered, and
   * says that its connection ends with it.
   */
  private async stopListening(): Promise<void> {
    await this.acceptWaiting();
    // http.Server.close() would cut idle connections under a request that is on its way; net.Server's does not.
    net.Server.prototype.close.call(this.server);
    for (const answer of this.answers) if (!answer.headersSent) answer.set('Connection', 'close');
    await delay(IDLE_GRACE_MS);
    for (const answer of this.answers) if (!answer.closed) await once(answer, 'close');
    this.server.closeIdleConnections();
  }
}
