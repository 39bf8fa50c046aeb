import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import { warnAbout } from '../observability/warn-about.functions';
import { realtimeLimits } from './realtime.limits';
import { SocketRegistry } from './socket.registry';

/** Periodic checks of sockets (pings, ended logins), and closing them at shutdown. */
@Injectable()
export class SocketHeartbeatService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SocketHeartbeatService.name);
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(private readonly registry: SocketRegistry) {}

  onModuleInit(): void {
    this.timers.push(
      setInterval(() => this.checkHeartbeats(), realtimeLimits.heartbeatMs),
      setInterval(() => void this.closeEndedLogins(), realtimeLimits.familyCheckMs),
    );
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Closes every socket with 1012, spread over `spreadMs` so that clients do not all reconnect at once. */
  async closeAll(spreadMs: number = realtimeLimits.drainSpreadMs): Promise<void> {
    const connections = [...this.registry.allSockets()];
    await Promise.all(
      connections.map(async (connection, index) => {
        await wait((index / connections.length) * spreadMs);
        await connection.waitUntilIdle();
        connection.close(closeCodes.serviceRestart);
        await connection.closed;
      }),
    );
  }

  private checkHeartbeats(): void {
    const now = Date.now();
    for (const connection of this.registry.allSockets()) connection.checkHeartbeat(now);
  }

  private async closeEndedLogins(): Promise<void> {
    try {
      await this.registry.closeEndedLogins();
    } catch (error) {
      warnAbout(this.logger, 'Logins were not checked', error);
    }
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
