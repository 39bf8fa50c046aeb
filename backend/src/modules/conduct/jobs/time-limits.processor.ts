import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { StandingsService } from '../../standings/application/standings.service';
import { REANNOUNCE_WINDOW_MS, ConductService } from '../application/conduct.service';
import { ConductRepository } from '../infrastructure/conduct.repository';

const RUN_EVERY_MS = 60_000;
const PAGE_SIZE = 200;

/**
 * Applies the time limits of bans that were not confirmed, of automatic suspensions whose case is undecided, and of
 * flags (a flagged user is matched only with other flagged users). Each user gets a separate command, which changes
 * nothing if another worker was faster.
 *
 * Afterwards, the processor makes up for processes that died after the commit of a command. It shortens inherited
 * sanctions that last longer than their source (the sanction of another account), and it announces standings again.
 */
@Injectable()
export class TimeLimitsProcessor implements OnModuleInit, OnApplicationBootstrap {
  /** Within this time, another moderator has to confirm a ban. */
  private readonly reviewMs: number;

  constructor(
    private readonly conduct: ConductService,
    private readonly repository: ConductRepository,
    private readonly standings: StandingsService,
    private readonly handlers: JobHandlerRegistry,
    private readonly jobs: JobQueueService,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.reviewMs = environment.CARE_REVIEW_S * 1_000;
  }

  onModuleInit(): void {
    this.handlers.register('conduct_time_limits', () => this.run(new Date()));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.schedule('conduct_time_limits', {}, RUN_EVERY_MS);
  }

  /** @throws the first error of a user's command, after everything else has been done. */
  async run(now: Date): Promise<void> {
    const errors = await this.applyDueLimits(now);
    // `null`: aligns the sanctions inherited from any user.
    await this.conduct.alignInheritedSanctions(null, PAGE_SIZE);
    await this.announceAgain(new Date(now.getTime() - REANNOUNCE_WINDOW_MS));
    if (errors.length > 0) throw errors[0];
  }

  /**
   * Applies the limits that have passed. Tries each user once: otherwise a user whose command fails would keep the loop
   * running.
   * @returns the errors of the commands that failed.
   */
  private async applyDueLimits(now: Date): Promise<unknown[]> {
    const { reviewMs } = this;
    const errors: unknown[] = [];
    const tried: number[] = [];
    let userIds: number[];
    do {
      userIds = await this.repository.findDueUserIds({ now, reviewMs, except: tried, limit: PAGE_SIZE });
      for (const userId of userIds) {
        tried.push(userId);
        try {
          // Without `now`: the command reads the time itself, after it has locked the user's stream.
          await this.conduct.applyTimeLimits({ userId });
        } catch (error) {
          errors.push(error);
        }
      }
    } while (userIds.length > 0);
    return errors;
  }

  /** Announces standings that changed recently, because the process that changed one may have died before doing so. */
  private async announceAgain(since: Date): Promise<void> {
    let userIds: number[] = [];
    do {
      const afterUserId = userIds.at(-1) ?? 0;
      userIds = await this.repository.findUserIdsWithConductNoticeSince(since, afterUserId, PAGE_SIZE);
      for (const userId of userIds) await this.standings.announce(userId);
    } while (userIds.length === PAGE_SIZE);
  }
}
