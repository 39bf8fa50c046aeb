import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ErasureLedgerRepository, type LedgerEntry } from '../infrastructure/erasure-ledger.repository';
import { ErasureRepository } from '../infrastructure/erasure.repository';
import { UserDataRepository } from '../infrastructure/user-data.repository';
import { ErasureRequestService } from './erasure-request.service';

const ENTRIES_PER_PAGE = 500;

/**
 * Compares the database with the ledger of erasures, which is stored outside it: a restored backup may have brought
 * back users who were erased.
 */
@Injectable()
export class RestoredErasuresService {
  constructor(
    private readonly ledger: ErasureLedgerRepository,
    private readonly erasures: ErasureRepository,
    private readonly userData: UserDataRepository,
    private readonly requests: ErasureRequestService,
  ) {}

  /**
   * Requests the erasures that only the ledger has.
   * @returns the number of users who are erased again
   */
  async requestAgain(): Promise<number> {
    let count = 0;
    for await (const page of this.readPages()) {
      for (const erasureId of await this.erasures.findUnknown(page)) {
        const entry = await this.ledger.read(erasureId);
        if (entry && (await this.requestEntry(entry))) count += 1;
      }
    }
    return count;
  }

  private async *readPages(): AsyncGenerator<string[]> {
    let page: string[] = [];
    for await (const erasureId of this.ledger.list()) {
      page.push(erasureId);
      if (page.length === ENTRIES_PER_PAGE) {
        yield page;
        page = [];
      }
    }
    if (page.length > 0) yield page;
  }

  /** @returns false if there is no user to erase: the id is unused or belongs to another user, or the user is erased */
  private async requestEntry(entry: LedgerEntry): Promise<boolean> {
    const { erasureId, userId } = entry;
    const requestedAt = new Date(entry.requestedAt);
    const accountStartedAt = await this.userData.findAccountStart(userId);
    if (!accountStartedAt) return false;
    // A restored database may give the id of the erased user to a new one.
    const isOtherUser = accountStartedAt > requestedAt;
    if (isOtherUser) return false;
    try {
      await this.requests.request(userId, 'operator', { erasureId, requestedAt });
      return true;
    } catch (error) {
      // Another erasure has already deleted the user. `findAccountStart` has found them all the same, because the event
      // log outlives a user.
      if (error instanceof DomainError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
