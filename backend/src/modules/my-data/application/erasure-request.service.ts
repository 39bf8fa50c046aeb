import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { type ErasureReason, UserErasureService } from '../../users/application/user-erasure.service';
import { ErasureRepository } from '../infrastructure/erasure.repository';
import { UserDataRepository } from '../infrastructure/user-data.repository';

const ID_BYTES = 16;

/** A request that only the ledger of erasures contains, because the database was restored from an older backup. */
interface LedgerRequest {
  erasureId: string;
  requestedAt: Date;
}

/** Requests erasures. From the commit on, other users cannot find the user. A job of the worker erases their data. */
@Injectable()
export class ErasureRequestService {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly userData: UserDataRepository,
    private readonly userErasures: UserErasureService,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * Deletes the user's row, credentials, sessions and devices, and records the erasure for the job of the worker.
   * @param ledgerRequest the earlier request that is made again; undefined for a new one
   * @returns the id of the erasure, which is also the id of its receipt.
   * @throws DomainError not_found when there is no such user
   */
  request(userId: number, reason: ErasureReason, ledgerRequest?: LedgerRequest): Promise<string> {
    return this.executor.runInTransaction((manager) =>
      this.requestInTransaction(manager, userId, reason, ledgerRequest),
    );
  }

  /**
   * Requests the erasure of an anonymous user who was not active since `cutoff`.
   * @returns the id of the erasure; null if the user was active or is not anonymous any more.
   */
  requestIfInactive(userId: number, cutoff: Date): Promise<string | null> {
    return this.executor.runInTransaction(async (manager) => {
      const isInactive = await this.userData.lockAndCheckInactivity(userId, cutoff, manager);
      return isInactive ? this.requestInTransaction(manager, userId, 'inactive') : null;
    });
  }

  private async requestInTransaction(
    manager: EntityManager,
    userId: number,
    reason: ErasureReason,
    ledgerRequest?: LedgerRequest,
  ): Promise<string> {
    const { erasureId, requestedAt } = ledgerRequest ?? {
      erasureId: randomBytes(ID_BYTES).toString('base64url'),
      requestedAt: new Date(),
    };
    await this.userErasures.request({ userId, erasureId }, reason, requestedAt, manager);
    await this.erasures.add({ id: erasureId, userId, reason, requestedAt }, manager);
    const sessionCount = await this.userData.deleteAccess(userId, manager);
    await this.erasures.addToCount(erasureId, 'sessions', sessionCount, manager);
    return erasureId;
  }
}
