import { Injectable, Logger } from '@nestjs/common';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { BlockListService } from '../../blocks/application/block-list.service';
import { MatchQueueService } from './match-queue.service';

/** A list of excluded users is used for this long; blocks made meanwhile are known to Redis for twice as long. */
const EXCLUSIONS_KEPT_MS = 1_800_000;

/** The users with whom a user must not be matched, because one has blocked the other. */
export interface Exclusions {
  userIds: readonly number[];
  /** Epoch ms. */
  readAt: number;
}

/** Of a user who is not searching. Old, so that a search reads the list. */
export const UNKNOWN_EXCLUSIONS: Exclusions = { userIds: [], readAt: 0 };

/** Reads whom a search excludes because of blocks, and lets two users be matched again after the last unblock. */
@Injectable()
export class SearchExclusionsService {
  private readonly logger = new Logger(SearchExclusionsService.name);
  /** When the list of a user with a socket here changed last, in epoch ms. */
  private readonly changedAt = new Map<number, number>();

  constructor(
    private readonly blockList: BlockListService,
    private readonly queue: MatchQueueService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Never rejects: a search continues while PostgreSQL is unreachable, since the start of a chat is refused without it.
   * @param fallback used, and due to be read again, when the list cannot be read.
   */
  async read(userId: number, fallback = UNKNOWN_EXCLUSIONS): Promise<Exclusions> {
    try {
      const readAt = Date.now(); // before the query: a block committed meanwhile counts as newer
      return { userIds: await this.blockList.findExcludedUsers(userId), readAt };
    } catch (error) {
      logWarning(this.logger, 'The exclusions of a search were not read', error);
      return { userIds: fallback.userIds, readAt: 0 };
    }
  }

  /** Whether the list has to be read again before it is used. */
  areOld(userId: number, exclusions: Exclusions): boolean {
    return Date.now() - exclusions.readAt >= EXCLUSIONS_KEPT_MS || this.haveChanged(userId, exclusions);
  }

  /** Whether the list may have changed after it was read, for example while the search was being placed. */
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

  /** Unless another block keeps the two apart, they may be matched again, and their searches are retried. */
  @OnProcessEvent('UserUnblocked')
  async allowAgain({ blockerId, blockedId }: ProcessEventMap['UserUnblocked']): Promise<void> {
    if (await this.blockList.areApart(blockerId, blockedId)) return;
    await this.queue.allowAgain(blockerId, blockedId);
    await Promise.all(
      [blockerId, blockedId].map((userId) =>
        this.userPublisher.publish(userId, { kind: 'exclusions_changed' }),
      ),
    );
  }
}
