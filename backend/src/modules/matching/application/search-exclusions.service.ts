import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { MatchQueueService } from './match-queue.service';

/**
 * How long a list of excluded users is used. The list does not contain newer blocks: a key in Redis keeps the two users
 * of a new block apart for twice this time (docs/decisions/0051-blocks-act-by-a-key-a-list-and-a-check.md).
 */
const EXCLUSIONS_TTL_MS = 1_800_000;

/** The users with whom a user must not be matched, because one has blocked the other. */
export interface Exclusions {
  userIds: readonly number[];
  /** Epoch ms; 0 if the list could not be read, or if a message about a change of it may have been lost. */
  readAt: number;
}

/** Exclusions that were never read. They count as old, so a search reads the list. */
export const UNKNOWN_EXCLUSIONS: Exclusions = { userIds: [], readAt: 0 };

/** Reads which users a search excludes because of blocks, and lets two users be matched again after an unblock. */
@Injectable()
export class SearchExclusionsService {
  private readonly logger = new Logger(SearchExclusionsService.name);
  /** When the list of a user last changed, in epoch ms. Contains only users with a socket at this replica. */
  private readonly changedAt = new Map<number, number>();

  constructor(
    private readonly blockList: BlockListService,
    private readonly queue: MatchQueueService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Never rejects. A search may continue while PostgreSQL is unreachable, because a chat starts only after a query for
   * blocks between its users.
   * @param fallback used when the list cannot be read; the list is then due to be read again.
   */
  async read(userId: number, fallback = UNKNOWN_EXCLUSIONS): Promise<Exclusions> {
    try {
      const readAt = Date.now(); // before the query: a block committed during the query counts as newer
      return { userIds: await this.blockList.findExcludedUserIds(userId), readAt };
    } catch (error) {
      logWarning(this.logger, 'The exclusions of a search were not read', error);
      return { userIds: fallback.userIds, readAt: 0 };
    }
  }

  /** Whether the list has to be read again before it is used. */
  areOld(userId: number, exclusions: Exclusions): boolean {
    return Date.now() - exclusions.readAt >= EXCLUSIONS_TTL_MS || this.haveChanged(userId, exclusions);
  }

  /**
   * Whether the list may have changed after it was read, for example while the user joined the queue. False if
   * `readAt` is 0. Callers retry a search at once when its list has changed; while the list cannot be read, they would
   * retry endlessly.
   */
  haveChanged(userId: number, { readAt }: Exclusions): boolean {
    return readAt > 0 && (this.changedAt.get(userId) ?? 0) >= readAt;
  }

  @OnProcessEvent('ExclusionsChanged')
  recordChange({ userId }: ProcessEventMap['ExclusionsChanged']): void {
    this.changedAt.set(userId, Date.now());
  }

  @OnProcessEvent('SocketClosed')
  forgetChange({ connection, closure }: ProcessEventMap['SocketClosed']): void {
    if (closure.wasLastOfUser) this.changedAt.delete(connection.identity.userId);
  }

  /**
   * Lets the two be matched again, unless the other user's block keeps them apart. The replicas that serve the two
   * retry their searches when they receive `exclusions_changed`.
   */
  @OnProcessEvent('UserUnblocked')
  async allowAgain({ blockerId, blockedId }: ProcessEventMap['UserUnblocked']): Promise<void> {
    if (await this.blockList.isBlockedEitherWay(blockerId, blockedId)) return;
    await this.queue.allowAgain(blockerId, blockedId);
    await Promise.all(
      [blockerId, blockedId].map((userId) =>
        this.userPublisher.publish(userId, { kind: 'exclusions_changed' }),
      ),
    );
  }
}
