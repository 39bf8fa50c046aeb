import { Injectable } from '@nestjs/common';
import { AppLoggerService } from '../observability/app-logger.service';

/**
 * The phases of a shutdown, in order: report not ready, stop accepting connections, close sockets so that clients
 * reconnect elsewhere, release leases (a replica's proof of life in Redis), stop workers. Connection pools are closed
 * after all phases.
 */
export const shutdownPhases = ['announce', 'listeners', 'sockets', 'leases', 'workers'] as const;
export type ShutdownPhase = (typeof shutdownPhases)[number];

/** Less than the 30 s that a container has for its shutdown (`stop_grace_period` in docker-compose.yml). */
export const SHUTDOWN_TIMEOUT_MS = 25_000;

interface Step {
  name: string;
  run: () => void | Promise<void>;
}

/** Collects the steps of a shutdown, and runs them phase by phase. */
@Injectable()
export class GracefulShutdownService {
  private readonly steps: Record<ShutdownPhase, Step[]> = {
    announce: [],
    listeners: [],
    sockets: [],
    leases: [],
    workers: [],
  };
  private stopping: Promise<void> | undefined;

  constructor(private readonly logger: AppLoggerService) {}

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  /** Registers a step of a phase. Steps of one phase run concurrently. A failure is logged and stops no other step. */
  register(phase: ShutdownPhase, name: string, run: () => void | Promise<void>): void {
    this.steps[phase].push({ name, run });
  }

  /**
   * Runs all phases, then `closePools`. Never rejects. Further calls return the promise of the first.
   * @returns a promise that resolves when everything is done or `withinMs` have passed.
   */
  stop(closePools: () => Promise<void>, withinMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
    this.stopping ??= this.runWithin(closePools, withinMs);
    return this.stopping;
  }

  private async runWithin(closePools: () => Promise<void>, withinMs: number): Promise<void> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timed out'>((resolve) => {
      timer = setTimeout(() => resolve('timed out'), withinMs);
    });
    const outcome = await Promise.race([this.runPhases(closePools), timeout]);
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - startedAt);
    if (outcome === 'timed out') this.logger.write('warn', 'The shutdown timed out', { durationMs });
    else this.logger.write('info', 'Stopped', { durationMs });
  }

  private async runPhases(closePools: () => Promise<void>): Promise<void> {
    for (const phase of shutdownPhases) {
      await Promise.all(this.steps[phase].map((step) => this.runStep(phase, step)));
    }
    await this.runStep('pools', { name: 'pools', run: closePools });
  }

  private async runStep(phase: ShutdownPhase | 'pools', { name, run }: Step): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.logger.logFailure(`Shutdown step ${name} of phase ${phase} failed`, error);
    }
  }
}
