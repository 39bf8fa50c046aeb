import { Injectable } from '@nestjs/common';
import { AppLoggerService } from '../observability/app-logger.service';

/**
 * The order in which a process leaves. Not ready any more; no new connections; sockets told to go elsewhere;
 * leases given back; workers at rest. Pools close after all of these.
 */
export const shutdownPhases = ['announce', 'listeners', 'sockets', 'leases', 'workers'] as const;
export type ShutdownPhase = (typeof shutdownPhases)[number];

/** Of the 30 s that a container is given (compose's stop_grace_period). */
export const SHUTDOWN_TIMEOUT_MS = 25_000;

interface Step {
  name: string;
  run: () => void | Promise<void>;
}

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

  /** What has to be done in a phase. Steps of one phase run side by side; a failing one is logged and passed over. */
  register(phase: ShutdownPhase, name: string, run: () => void | Promise<void>): void {
    this.steps[phase].push({ name, run });
  }

  /**
   * Runs all phases, then `closePools`. Never rejects; asked again it answers with the stop under way.
   * @returns when all is done, or `withinMs` are over.
   */
  stop(closePools: () => Promise<void>, withinMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
    this.stopping ??= this.runWithin(closePools, withinMs);
    return this.stopping;
  }

  private async runWithin(closePools: () => Promise<void>, withinMs: number): Promise<void> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), withinMs);
    });
    const outcome = await Promise.race([this.runAll(closePools), late]);
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - startedAt);
    if (outcome === 'late') this.logger.write('warn', 'The shutdown timed out', { durationMs });
    else this.logger.write('info', 'Stopped', { durationMs });
  }

  private async runAll(closePools: () => Promise<void>): Promise<void> {
    for (const phase of shutdownPhases) {
      await Promise.all(this.steps[phase].map((step) => this.runStep(phase, step)));
    }
    await this.runStep('pools', { name: 'pools', run: closePools });
  }

  private async runStep(phase: ShutdownPhase | 'pools', { name, run }: Step): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.logger.failure(`Shutdown step ${name} of phase ${phase} failed`, error);
    }
  }
}
