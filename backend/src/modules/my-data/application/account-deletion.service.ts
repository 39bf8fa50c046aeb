import { Injectable, Logger } from '@nestjs/common';
import type { RequestErasure } from '@thaw/contract/my-data';
import { DomainError } from '../../../platform/errors/domain.errors';
import { logRejections } from '../../../platform/observability/warn-about.functions';
import { JobQueueService } from '../../../platform/queue/job-queue.service';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { AuthService } from '../../auth/application/auth.service';
import { UsersService } from '../../users/application/users.service';
import { ErasureRequestService } from './erasure-request.service';
import { ReceiptSignerService } from './receipt-signer.service';

/** Deletes accounts on the request of their users. */
@Injectable()
export class AccountDeletionService {
  private readonly logger = new Logger(AccountDeletionService.name);

  constructor(
    private readonly users: UsersService,
    private readonly auth: AuthService,
    private readonly requests: ErasureRequestService,
    private readonly signer: ReceiptSignerService,
    private readonly jobs: JobQueueService,
    private readonly userPublisher: UserPublisherService,
  ) {}

  /**
   * Deletes the account of a user. Registered users confirm the deletion with their password, anonymous users with a
   * fixed word.
   * @returns the id of the receipt.
   * @throws DomainError validation_failed, wrong_password, rate_limited, not_found, unavailable (also without the key
   * that signs receipts)
   */
  async delete(userId: number, { currentPassword, confirm }: RequestErasure): Promise<string> {
    const { isAnonymous } = await this.users.getSelf(userId);
    const confirmation = isAnonymous ? confirm : currentPassword;
    if (confirmation === undefined) throw new DomainError('validation_failed');
    if (!isAnonymous) await this.auth.requirePassword(userId, confirmation);
    if (!this.signer.publicKey) {
      this.logger.error('RECEIPT_KEY is missing: no account can be deleted');
      throw new DomainError('unavailable');
    }
    const erasureId = await this.requests.request(userId, 'asked'); // the user has asked for it
    // Failures are only logged: a job that runs every five seconds continues each erasure, and the sockets close at the
    // next check of their logins.
    const results = await Promise.allSettled([
      // Closes the sockets of all logins (a family contains the session ids of one login).
      this.userPublisher.revokeFamilies(userId, 'all'),
      this.jobs.add('erase_person', { erasureId }),
    ]);
    logRejections(this.logger, 'The start of an erasure was not published', results);
    return erasureId;
  }
}
