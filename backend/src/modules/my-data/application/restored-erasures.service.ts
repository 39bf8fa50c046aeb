import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ErasureLedgerRepository, type LedgerEntry } from '../infrastructure/erasure-ledger.repository';
import { ErasureRepository } from '../infrastructure/erasure.repository';
import { ErasureRequestService } from './erasure-request.service';

const ENTRIES_PER_PAGE = 500;

/** Compares the database with the ledger: a restored backup may have brought back users who were erased. */
@Injectable()
export class RestoredErasuresService {
  constructor(
    private readonly ledger: ErasureLedgerRepository,
    private readonly erasures: ErasureRepository,
    private readonly requests: ErasureRequestService,
  ) {}

  /** Requests the erasures that the database does not know of. @returns their number. */
  async requestAgain(): Promise<number> {
    let count = 0;
    for await (const page of this.pages()) {
      for (const erasureId of await this.erasures.findUnknown(page)) {
        const entry = await this.ledger.read(erasureId);
        if (entry && (await this.requestEntry(entry))) count += 1;
      }
    }
    return count;
  }

  private async *pages(): AsyncGenerator<string[]> {
    let page: string[] = [];
    for await (const erasureId of this.ledger.list()) {
      if (page.push(erasureId) < ENTRIES_PER_PAGE) continue;
      yield page;
      page = [];
    }
    yield page;
  }

  /** @returns whether the user existed. */
  private async requestEntry({ erasureId, userId, requestedAt }: LedgerEntry): Promise<boolean> {
    const startedAt = await this.erasures.findAccountStart(userId);
    // After a restore, ids are assigned again: a user who came later is not the one who was erased.
    if (!startedAt || startedAt > new Date(requestedAt)) return false;
    try {
      await this.requests.request(userId, 'operator', { erasureId, requestedAt: new Date(requestedAt) });
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
