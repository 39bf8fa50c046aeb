import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { AgeFindingsService } from '../application/age-findings.service';
import { FindingRepository } from '../infrastructure/finding.repository';

const RUN_EVERY_MS = 30_000;
const FINDINGS_PER_RUN = 100;

/** Raises findings about stated ages that a replica could not raise, because it died or could not reach PostgreSQL. */
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
   * @returns the number of findings that were missing.
   * @throws the first error, after every other finding has been tried.
   */
  async run(): Promise<number> {
    const missing = await this.findings.findUnraised(FINDINGS_PER_RUN);
    const results = [];
    // Raises one finding at a time. `allSettled` turns an error into a result.
    for (const finding of missing)
      results.push(...(await Promise.allSettled([this.ageFindings.raise(finding)])));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return missing.length;
  }
}
