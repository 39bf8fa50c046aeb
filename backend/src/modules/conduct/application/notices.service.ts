import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Notice } from '@thaw/contract/safety';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { DomainError } from '../../../platform/errors/domain.errors';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { NoticeRepository, type NoticeRow } from '../infrastructure/notice.repository';
import { toNotice } from './notice.mapper';

/** Lists and sends notices: messages to users about decisions that concern them. */
@Injectable()
export class NoticesService {
  private readonly logger = new Logger(NoticesService.name);
  private readonly appealWithinMs: number;

  constructor(
    private readonly notices: NoticeRepository,
    private readonly userPublisher: UserPublisherService,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.appealWithinMs = environment.APPEAL_WITHIN_S * 1_000;
  }

  /** The notices to a user, newest first. */
  async list(recipientId: number): Promise<Notice[]> {
    const rows = await this.notices.findByRecipient(recipientId);
    return rows.map((row) => this.toNotice(row));
  }

  /** @throws DomainError not_found when the notice was not sent to this user */
  async get(noticeId: number, recipientId: number): Promise<Notice> {
    const rows = await this.notices.findMany([noticeId]);
    const ownRow = rows.find((row) => Number(row.recipient_id) === recipientId);
    if (!ownRow) throw new DomainError('not_found');
    return this.toNotice(ownRow);
  }

  /** Does not check the recipient: the caller has read the notice with `get`. */
  async markSeen(noticeId: number): Promise<void> {
    await this.notices.markSeen(noticeId);
  }

  /**
   * Sends notices to the sockets of their recipients. Never throws: a client that misses a notice gets it when it reads
   * the list.
   */
  async send(noticeIds: readonly number[]): Promise<void> {
    if (noticeIds.length === 0) return;
    try {
      for (const row of await this.notices.findMany(noticeIds))
        await this.userPublisher.sendFrame(Number(row.recipient_id), 'notice', this.toNotice(row));
    } catch (error) {
      logWarning(this.logger, 'A notice was not sent', error);
    }
  }

  private toNotice(row: NoticeRow): Notice {
    return toNotice(row, new Date(), this.appealWithinMs);
  }
}
