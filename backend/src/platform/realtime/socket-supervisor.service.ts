import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { logWarning } from '../observability/warn-about.functions';
import { realtimeLimits } from './realtime.limits';
import { SocketRegistry } from './socket.registry';

/**
 * Checks all sockets of this replica periodically: pings silent ones, and closes those whose login has ended. Before a
 * shutdown, `RealtimeModule` calls `closeAll`.
 */
@Injectable()
export class SocketSupervisorService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SocketSupervisorService.name);
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly registry: SocketRegistry) {}

  onModuleInit(): void {
    this.timers.push(
      setInterval(() => this.checkHeartbeats(), realtimeLimits.heartbeatCheckMs),
      setInterval(() => void this.closeSocketsOfEndedLogins(), realtimeLimits.loginCheckMs),
    );
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /**
   * Closes all sockets with code 1012 (service restart). A socket whose received frames are still being handled is
   * closed afterwards. The closes are spread over `spreadMs`, so that clients do not all reconnect at once.
   */
  async closeAll(spreadMs: number = realtimeLimits.drainSpreadMs): Promise<void> {
    const sockets = [...this.registry.iterateSockets()];
    await Promise.all(
      sockets.map(async (socket, index) => {
        await wait((index / sockets.length) * spreadMs);
        await socket.waitUntilIdle();
        socket.close(closeCodes.serviceRestart);
        await socket.closed;
      }),
    );
  }

  private checkHeartbeats(): void {
    const now = Date.now();
    for (const socket of this.registry.iterateSockets()) socket.checkHeartbeat(now);
  }

  private async closeSocketsOfEndedLogins(): Promise<void> {
    try {
      await this.registry.closeSocketsOfEndedLogins();
    } catch (error) {
      logWarning(this.logger, 'Logins were not checked', error);
    }
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
