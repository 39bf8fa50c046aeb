import type { Server } from 'node:http';
import net from 'node:net';
import type { RequestHandler } from 'express';
import type { GracefulStop } from '../lifecycle/graceful-stop';

/** How long a proxy may keep an idle connection to us; longer than nginx's own `keepalive_timeout` of 60 s. */
const KEEP_ALIVE_MS = 65_000;
/** Between the last accepted connection and the closing of idle ones: whoever was about to use one still can. */
const IDLE_GRACE_MS = 1_000;

export const limitSlowClients = (server: Server): void => {
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
};

/** While stopping, every answer says that its connection ends with it. */
export const closeConnectionsWhenStopping =
  (gracefulStop: GracefulStop): RequestHandler =>
  (_request, response, next) => {
    if (gracefulStop.isStopping) response.set('Connection', 'close');
    next();
  };

/**
 * Registers how the public port is left: a refused connection is safe to try elsewhere, so accepting stops at once,
 * and what was accepted is still answered.
 */
export const stopListeningGracefully = (server: Server, gracefulStop: GracefulStop): void => {
  gracefulStop.register('listeners', 'public port', async () => {
    // http.Server.close() would cut idle connections under a request that is on its way; net.Server's does not.
    net.Server.prototype.close.call(server);
    await new Promise((resolve) => setTimeout(resolve, IDLE_GRACE_MS));
    server.closeIdleConnections();
  });
};
