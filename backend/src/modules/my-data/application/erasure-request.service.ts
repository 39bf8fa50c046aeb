import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { type ErasureReason, UserErasureService } from '../../users/application/user-erasure.service';
import { ErasureRepository } from '../infrastructure/erasure.repository';

const ID_BYTES = 16;

/** An erasure that is not in the database, because it was requested after the backup that has been restored. */
interface EarlierRequest {
  erasureId: string;
  requestedAt: Date;
}

/**
 * Requests erasures. From the commit on, no other user can find the user; a job of the worker erases the other data.
 */
@Injectable()
export class ErasureRequestService {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly userErasures: UserErasureService,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * Deletes the user's row, credentials, sessions and devices, and records the erasure for the job of the worker.
   * @returns the id of the erasure, which is also the id of its receipt.
   * @throws DomainError not_found when there is no such user
   */
  request(userId: number, reason: ErasureReason, earlierRequest?: EarlierRequest): Promise<string> {
    return this.executor.runInTransaction((manager) =>
      this.requestInTransaction(manager, userId, reason, earlierRequest),
    );
  }

  /**
   * Requests the erasure of an anonymous user who was not active since `cutoff`.
   * @returns the id of the erasure; null if the user was active or is not anonymous any more.
   */
  requestIfInactive(userId: number, cutoff: Date): Promise<string | null> {
    return this.executor.runInTransaction(async (manager) => {
      if (!(await this.erasures.lockAndCheckInactivity(userId, cutoff, manager))) return null;
      return this.requestInTransaction(manager, userId, 'inactive');
    });
  }

  private async requestInTransaction(
    manager: EntityManager,
    userId: number,
    reason: ErasureReason,
    earlierRequest?: EarlierRequest,
  ): Promise<string> {
    const { erasureId, requestedAt } = earlierRequest ?? {
      erasureId: randomBytes(ID_BYTES).toString('base64url'),
      requestedAt: new Date(),
    };
    await this.userErasures.request({ userId, erasureId }, reason, requestedAt, manager);
    await this.erasures.add({ id: erasureId, userId, reason, requestedAt }, manager);
    const sessionCount = await this.erasures.deleteAccess(userId, manager);
    await this.erasures.addToCount(erasureId, 'sessions', sessionCount, manager);
    return erasureId;
  }
}
