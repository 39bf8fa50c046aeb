import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { type ErasureReason, UserErasureService } from '../../users/application/user-erasure.service';
import { ErasureRepository } from '../infrastructure/erasure.repository';

const ID_BYTES = 16;

/** Requests erasures. From the commit on the user is gone for everybody; the worker's job erases the rest. */
@Injectable()
export class ErasureRequestService {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly users: UserErasureService,
    private readonly executor: CommandExecutorService,
  ) {}

  /**
   * Removes a user: their row, credentials, sessions and devices.
   * @param given the id and the time of an erasure that was requested before, of which the database does not know.
   * @returns the id of the erasure, which is also that of its receipt.
   * @throws DomainError not_found when there is no such user
   */
  request(
    userId: number,
    reason: ErasureReason,
    given: { erasureId?: string; requestedAt?: Date } = {},
  ): Promise<string> {
    return this.executor.runInTransaction((manager) => this.requestIn(manager, userId, reason, given));
  }

  /** Requests the erasure of an anonymous user unless they were active since `cutoff`. @returns null if they were. */
  requestIfInactive(userId: number, cutoff: Date): Promise<string | null> {
    return this.executor.runInTransaction(async (manager) => {
      if (!(await this.erasures.isInactiveUntilCommit(userId, cutoff, manager))) return null;
      return this.requestIn(manager, userId, 'inactive', {});
    });
  }

  private async requestIn(
    manager: Parameters<Parameters<CommandExecutorService['runInTransaction']>[0]>[0],
    userId: number,
    reason: ErasureReason,
    {
      erasureId = randomBytes(ID_BYTES).toString('base64url'),
      requestedAt = new Date(),
    }: { erasureId?: string; requestedAt?: Date },
  ): Promise<string> {
    await this.users.request({ userId, erasureId }, reason, requestedAt, manager);
    await this.erasures.add({ id: erasureId, userId, reason, requestedAt }, manager);
    const sessions = await this.erasures.deleteAccess(userId, manager);
    await this.erasures.count(erasureId, 'sessions', sessions, manager);
    return erasureId;
  }
}
