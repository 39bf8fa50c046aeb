import { Injectable } from '@nestjs/common';
import type { AgeAnswer, Appeal, Notice } from '@thaw/contract/safety';
import { normalizeText } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { ConductRepository } from '../infrastructure/conduct.repository';
import { ConductService } from './conduct.service';
import { NoticesService } from './notices.service';

/** Records how users respond to their notices: they see them, answer age questions, and appeal. */
@Injectable()
export class NoticeResponsesService {
  constructor(
    private readonly conduct: ConductService,
    private readonly conductRepository: ConductRepository,
    private readonly notices: NoticesService,
    private readonly rateLimiter: RateLimiterService,
  ) {}

  /**
   * Marks a notice as seen, and answers its age question if `answer` is given.
   * @throws DomainError not_found, already_answered; validation_failed for an answer to another kind of notice
   */
  async markNoticeSeen(userId: number, noticeId: number, answer: AgeAnswer | undefined): Promise<Notice> {
    const { kind } = await this.notices.get(noticeId, userId);
    if (answer !== undefined) {
      if (kind !== 'age_question') throw new DomainError('validation_failed');
      await this.conduct.answerAgeQuestion({ userId, noticeId, answer });
    }
    await this.notices.markSeen(noticeId);
    return this.notices.get(noticeId, userId);
  }

  /**
   * Files an appeal of the recipient of a notice: the user whom its case is about, or a user who reported them.
   * @returns the appeal; an earlier one that is still open, with `isNew` false, if the recipient has filed one before
   * @throws DomainError rate_limited, not_found, too_late; already_answered if an earlier appeal has been decided
   */
  async fileAppeal(
    appellantId: number,
    noticeId: number,
    words: string,
  ): Promise<{ appeal: Appeal; isNew: boolean }> {
    await this.rateLimiter.require('appeals', appellantId);
    const userId = await this.conductRepository.findUserOfNotice(noticeId, appellantId);
    if (userId === null) throw new DomainError('not_found');
    const { appealId, createdAt, isNew } = await this.conduct.fileAppeal({
      userId,
      appellantId,
      noticeId,
      words: normalizeText(words),
    });
    return { appeal: { id: appealId, noticeId, createdAt: createdAt.toISOString(), state: 'open' }, isNew };
  }
}
