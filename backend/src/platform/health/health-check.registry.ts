import { Injectable } from '@nestjs/common';
import { GracefulShutdownService } from '../lifecycle/graceful-shutdown.service';

const CHECK_TIMEOUT_MS = 1_000;

/** `failing`: the check fails, but not for longer than it may, so the process stays ready. */
export type CheckResult = 'ok' | 'failing' | 'failed';

export interface Readiness {
  isReady: boolean;
  checks: Record<string, CheckResult>;
}

interface Check {
  isPassing: () => Promise<boolean>;
  mayFailForMs: number;
  /** Whether the check has passed at least once. */
  hasPassed: boolean;
  /** When the check began to fail (epoch ms); undefined while it passes. */
  failingSince: number | undefined;
}

/** Reports whether this process is ready. Each part that it depends on registers a check. */
@Injectable()
export class HealthCheckRegistry {
  private readonly checks = new Map<string, Check>();

  constructor(private readonly gracefulShutdown: GracefulShutdownService) {}

  /**
   * Registers a check. It fails if `isPassing` returns false, rejects or takes longer than a second.
   * @param options.mayFailForMs how long the process stays ready while the check fails. Does not apply before the check
   * has passed once.
   * @throws Error for a duplicate name.
   */
  register(name: string, isPassing: () => Promise<boolean>, { mayFailForMs = 0 } = {}): void {
    if (this.checks.has(name)) throw new Error(`Health check ${name} is registered twice`);
    this.checks.set(name, { isPassing, mayFailForMs, hasPassed: false, failingSince: undefined });
  }

  /** Runs all checks. A process that is shutting down is not ready. */
  async checkReadiness(): Promise<Readiness> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await recordCheck(check)] as const),
    );
    const checks: Readiness['checks'] = Object.fromEntries(results);
    // Listed like a failed check, so that the response gives the reason.
    if (this.gracefulShutdown.isStopping) checks.stopping = 'failed';
    return { isReady: Object.values(checks).every((result) => result !== 'failed'), checks };
  }
}

/** Runs a check and records whether it passed. */
const recordCheck = async (check: Check): Promise<CheckResult> => {
  if (await runCheck(check.isPassing)) {
    check.hasPassed = true;
    check.failingSince = undefined;
    return 'ok';
  }
  const now = Date.now();
  check.failingSince ??= now;
  return check.hasPassed && now - check.failingSince < check.mayFailForMs ? 'failing' : 'failed';
};

/** Returns whether a check passes within the time-out. */
const runCheck = async (isPassing: () => Promise<boolean>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([isPassing(), timedOut]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
};
