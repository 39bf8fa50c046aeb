import { Injectable, Logger } from '@nestjs/common';
import { goodStanding, type Standing } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { StandingRepository } from '../infrastructure/standing.repository';

/**
 * Queries the standings of users, and announces changed ones to all replicas. A standing says whether the user may use
 * the product without restrictions (`good`), is flagged and matched with flagged users only (`care`), has to answer an
 * age question, or is suspended or banned.
 */
@Injectable()
export class StandingsService {
  private readonly logger = new Logger(StandingsService.name);

  constructor(
    private readonly standings: StandingRepository,
    private readonly userPublisher: UserPublisherService,
    private readonly processEvents: ProcessEventsService,
  ) {}

  async find(userId: number, manager?: EntityManager): Promise<Standing> {
    return (await this.standings.findMany([userId], manager)).get(userId) ?? goodStanding;
  }

  /** The standings of all the given users, including those in good standing, in one query. */
  findMany(userIds: readonly number[], manager?: EntityManager): Promise<ReadonlyMap<number, Standing>> {
    return this.standings.findMany(userIds, manager);
  }

  /** Whether the user is under a legal hold, so that their data must not be erased. */
  isHeld(userId: number, manager?: EntityManager): Promise<boolean> {
    return this.standings.isHeld(userId, manager);
  }

  /**
   * Announces a standing that may have changed. Call it after the commit. Each replica with a socket of the user sends
   * the standing to the socket, closes the socket if the user is excluded (suspended or banned), and runs the reactions
   * to `StandingChanged`. This process runs them too, because no replica does while the user has no socket.
   * Idempotent. Never throws, because a lost announcement has no lasting effect: every replica rechecks its sockets,
   * and each request reads the standing.
   */
  async announce(userId: number): Promise<void> {
    try {
      const standing = await this.find(userId);
      const published = this.userPublisher.publish(userId, { kind: 'standing', standing });
      const delivered = this.processEvents.deliver('StandingChanged', { userId, standing });
      for (const result of await Promise.allSettled([published, delivered]))
        if (result.status === 'rejected')
          logWarning(this.logger, 'A standing was not announced', result.reason);
    } catch (error) {
      logWarning(this.logger, 'A standing was not announced', error);
    }
  }
}
