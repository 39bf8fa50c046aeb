import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { AgeFindingsService } from '../application/age-findings.service';
import { FindingRepository } from '../infrastructure/finding.repository';

const RUN_EVERY_MS = 30_000;
const FINDINGS_PER_RUN = 100;

/**
 * A finding records that a user has stated in a random chat that they are under 18. Raising it opens a case about the
 * user. This job raises findings that a replica could not raise, because it died or could not reach PostgreSQL.
 */
@Injectable()
export class FindingsProcessor implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly findings: FindingRepository,
    private readonly ageFindings: AgeFindingsService,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('watch_findings', async () => {
      await this.run();
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('watch_findings', {}, RUN_EVERY_MS);
  }

  /**
   * @returns the number of findings that it raised.
   * @throws the first error, after every other finding has been tried.
   */
  async run(): Promise<number> {
    const unraised = await this.findings.findUnraised(FINDINGS_PER_RUN);
    const errors: unknown[] = [];
    for (const finding of unraised) {
      try {
        await this.ageFindings.raise(finding);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return unraised.length;
  }
}
