import { Injectable } from '@nestjs/common';
import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';

const CHECK_TIMEOUT_MS = 1_000;

export interface Readiness {
  isReady: boolean;
  checks: Record<string, 'ok' | 'failed'>;
}

/** Reports whether this process is ready. Each part that it depends on registers a check. */
@Injectable()
export class HealthCheckRegistry {
  private readonly checks = new Map<string, () => Promise<boolean>>();

  constructor(private readonly gracefulShutdown: GracefulShutdownService) {}

  /** Registers a check, which fails if it rejects or takes longer than a second. @throws Error for a duplicate name. */
  register(name: string, isReady: () => Promise<boolean>): void {
    if (this.checks.has(name)) throw new Error(`Health check ${name} is registered twice`);
    this.checks.set(name, isReady);
  }

  async checkReadiness(): Promise<Readiness> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, isReady]) => [name, await runCheck(isReady)] as const),
    );
    const checks: Readiness['checks'] = {};
    for (const [name, passed] of results) checks[name] = passed ? 'ok' : 'failed';
    if (this.gracefulShutdown.isStopping) checks.stopping = 'failed';
    return { isReady: Object.values(checks).every((result) => result === 'ok'), checks };
  }
}

/** Whether a check passes within the time-out. */
const runCheck = async (isReady: () => Promise<boolean>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([isReady(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
};
