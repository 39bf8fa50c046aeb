import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { MatchQueueService } from './match-queue.service';

/**
 * How long a list of excluded users is used. It lacks blocks that are newer than the list, but a key in Redis keeps the
 * users of a new block apart for twice this time (docs/decisions/0051-blocks-act-by-a-key-a-list-and-a-check.md).
 */
const EXCLUSIONS_TTL_MS = 1_800_000;

/** The users with whom a user must not be matched, because one has blocked the other. */
export interface Exclusions {
  userIds: readonly number[];
  /** Epoch ms, or `MUST_BE_READ`. */
  readAt: number;
}

/**
 * For a list that must be read before it is used, because the last attempt failed or a message about a change of the
 * list may have been lost. 0, so that any list that was read is newer.
 */
export const MUST_BE_READ = 0;

export const UNKNOWN_EXCLUSIONS: Exclusions = { userIds: [], readAt: MUST_BE_READ };

/** Reads which users a search excludes because of blocks, and lets two users be matched again after an unblock. */
@Injectable()
export class SearchExclusionsService {
  private readonly logger = new Logger(SearchExclusionsService.name);
  /** When the list of a user last changed, in epoch ms, for users with a socket at this replica. */
  private readonly changedAt = new Map<number, number>();

  constructor(
    private readonly blockList: BlockListService,
    private readonly queue: MatchQueueService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Never rejects. A search may continue while PostgreSQL is unreachable, because a chat starts only after a query for
   * blocks between its users.
   * @param fallback used if the list cannot be read, which then stays due (`MUST_BE_READ`)
   */
  async read(userId: number, fallback = UNKNOWN_EXCLUSIONS): Promise<Exclusions> {
    const readAt = Date.now(); // before the query, so that a block committed during the query counts as newer
    try {
      return { userIds: await this.blockList.findExcludedUserIds(userId), readAt };
    } catch (error) {
      logWarning(this.logger, 'The exclusions of a search were not read', error);
      return { userIds: fallback.userIds, readAt: MUST_BE_READ };
    }
  }

  /** Whether the list has to be read again before it is used. */
  areOld(userId: number, exclusions: Exclusions): boolean {
    return Date.now() - exclusions.readAt >= EXCLUSIONS_TTL_MS || this.haveChanged(userId, exclusions);
  }

  /**
   * Whether the list may have changed after it was read, for example while the user joined the queue. Callers then
   * retry the search at once.
   */
  haveChanged(userId: number, { readAt }: Exclusions): boolean {
    // Otherwise, callers would retry endlessly while the list cannot be read.
    if (readAt === MUST_BE_READ) return false;
    const changedAt = this.changedAt.get(userId);
    return changedAt !== undefined && changedAt >= readAt;
  }

  @OnProcessEvent('ExclusionsChanged')
  recordChange({ userId }: ProcessEventMap['ExclusionsChanged']): void {
    this.changedAt.set(userId, Date.now());
  }

  @OnProcessEvent('SocketClosed')
  forgetChange({ connection, closure }: ProcessEventMap['SocketClosed']): void {
    if (closure.wasLastOfUser) this.changedAt.delete(connection.identity.userId);
  }

  /** Lets the two be matched again. Replicas that receive `exclusions_changed` retry the searches of the two. */
  @OnProcessEvent('UserUnblocked')
  async allowAgain({ blockerId, blockedId }: ProcessEventMap['UserUnblocked']): Promise<void> {
    // The unblocked user may have blocked the other, too.
    if (await this.blockList.isBlockedEitherWay(blockerId, blockedId)) return;
    await this.queue.allowAgain(blockerId, blockedId);
    await Promise.all(
      [blockerId, blockedId].map((userId) =>
        this.userPublisher.publish(userId, { kind: 'exclusions_changed' }),
      ),
    );
  }
}
