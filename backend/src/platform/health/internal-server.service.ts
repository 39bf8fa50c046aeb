import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { AppLoggerService } from '../observability/app-logger.service';
import { MetricsRegistry } from '../observability/metrics.registry';
import { HealthCheckRegistry } from './health-check.registry';

/** Serves health checks and metrics on a separate port that the proxy does not expose. */
@Injectable()
export class InternalServerService implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<Environment, 'INTERNAL_PORT' | 'INTERNAL_HOST' | 'HOST'>,
    private readonly healthChecks: HealthCheckRegistry,
    private readonly metrics: MetricsRegistry,
    private readonly logger: AppLoggerService,
  ) {}

  /**
   * Starts to listen.
   * @returns the port. If INTERNAL_PORT is 0, the system has chosen it.
   * @throws Error if the port is in use
   */
  async start(): Promise<number> {
    const server = createServer((request, response) => {
      this.respond(request.method ?? '', request.url ?? '', response).catch((error: unknown) => {
        this.logger.logFailure('An internal request failed', error);
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const { INTERNAL_PORT, INTERNAL_HOST, HOST } = this.environment;
      server.listen(INTERNAL_PORT, INTERNAL_HOST ?? HOST, resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections(); // `close` alone would wait for them
    });
  }

  private async respond(method: string, url: string, response: ServerResponse): Promise<void> {
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead) return sendNotFound(response);
    const [path] = url.split('?');
    switch (path) {
      case '/health/live':
        return sendJson(response, 200, { status: 'ok' });
      case '/health/ready': {
        const { isReady, checks } = await this.healthChecks.checkReadiness();
        return sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', checks });
      }
      case '/metrics': {
        const { contentType, body } = await this.metrics.expose();
        response.writeHead(200, { 'Content-Type': contentType }).end(body);
        return;
      }
      default:
        return sendNotFound(response);
    }
  }
}

const sendJson = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
};

const sendNotFound = (response: ServerResponse): void => sendJson(response, 404, { status: 'unknown' });
