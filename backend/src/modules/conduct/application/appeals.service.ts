import { Injectable } from '@nestjs/common';
import type { AgeAnswer, Appeal, Notice } from '@thaw/contract/safety';
import { normalizeText } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain.errors';
import { RateLimiterService } from '../../../platform/rate-limit/rate-limiter.service';
import { ConductRepository } from '../infrastructure/conduct.repository';
import { ConductService } from './conduct.service';
import { NoticesService } from './notices.service';

/** Files appeals against notices, marks notices as seen, and records the answers to age questions. */
@Injectable()
export class AppealsService {
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

  /** @throws DomainError rate_limited, not_found, already_answered, too_late */
  async fileAppeal(
    appellantId: number,
    noticeId: number,
    words: string,
  ): Promise<{ appeal: Appeal; isNew: boolean }> {
    await this.rateLimiter.require('appeals', appellantId);
    // The user whom the notice's case is about: the appellant, or the user whom the appellant has reported.
    const userId = await this.conductRepository.findUserOfNotice(noticeId, appellantId);
    if (userId === null) throw new DomainError('not_found');
    const { appealId, createdAt, isNew } = await this.conduct.fileAppeal({
      userId,
      appellantId,
      noticeId,
      words: normalizeText(words),
    });
    // If `isNew` is false, the earlier appeal is open: for a decided one, `conduct.fileAppeal` throws already_answered.
    return { appeal: { id: appealId, noticeId, createdAt: createdAt.toISOString(), state: 'open' }, isNew };
  }
}
