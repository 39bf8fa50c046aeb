import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { ErasureRequestService } from '../application/erasure-request.service';
import { ErasureRepository } from '../infrastructure/erasure.repository';
import { UserDataRepository } from '../infrastructure/user-data.repository';
import { ErasureService } from './erasure.service';

const RESUME_EVERY_MS = 5_000;
const EXPIRE_EVERY_MS = 60 * 60_000;
const ERASURES_PER_RUN = 200;
const USERS_PER_PAGE = 500;

/** Runs erasures until they are finished, and requests the erasure of anonymous users who have become inactive. */
@Injectable()
export class ErasureProcessor implements OnModuleInit, OnApplicationBootstrap {
  private readonly anonymousKeptMs: number;

  constructor(
    private readonly erasureService: ErasureService,
    private readonly erasures: ErasureRepository,
    private readonly userData: UserDataRepository,
    private readonly requests: ErasureRequestService,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'ANONYMOUS_KEPT_S'>,
  ) {
    this.anonymousKeptMs = environment.ANONYMOUS_KEPT_S * 1_000;
  }

  onModuleInit(): void {
    this.handlers.register('erase_person', async ({ erasureId }) => {
      await this.erasureService.run(erasureId);
    });
    this.handlers.register('resume_erasures', () => this.resume());
    this.handlers.register('expire_anonymous', async () => {
      await this.expireAnonymous(new Date());
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('resume_erasures', {}, RESUME_EVERY_MS);
    await this.jobs.schedule('expire_anonymous', {}, EXPIRE_EVERY_MS);
  }

  /**
   * Continues the erasures that are not finished, at most `ERASURES_PER_RUN`.
   * @throws the first error, after the other erasures were tried as well.
   */
  async resume(): Promise<void> {
    // An erasure leaves out data under a legal hold, and runs again after moderators have lifted the hold.
    await this.erasureService.reopenAfterLiftedHolds();
    const errors: unknown[] = [];
    for (const id of await this.erasures.findRunning(ERASURES_PER_RUN)) {
      try {
        await this.erasureService.run(id); // does nothing if an `erase_person` job works on the same erasure
      } catch (error) {
        errors.push(error);
      }
    }
    // Redis' append-only file contains the erased keys until it is rewritten.
    await this.erasureService.rewriteAppendOnlyFileIfDue(new Date());
    if (errors.length > 0) throw errors[0];
  }

  /** Requests the erasure of anonymous users who were inactive for ANONYMOUS_KEPT_S. @returns their number. */
  async expireAnonymous(now: Date): Promise<number> {
    const cutoff = new Date(now.getTime() - this.anonymousKeptMs);
    let requestCount = 0;
    let afterId = 0;
    let userIds: number[];
    do {
      const page = { afterId, limit: USERS_PER_PAGE };
      userIds = await this.userData.findInactiveAnonymousUsers(cutoff, page);
      for (const userId of userIds) {
        const erasureId = await this.requests.requestIfInactive(userId, cutoff);
        if (erasureId !== null) requestCount += 1;
        afterId = userId;
      }
    } while (userIds.length === USERS_PER_PAGE);
    return requestCount;
  }
}
