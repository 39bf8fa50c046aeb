import { Injectable } from '@nestjs/common';
import type { Receipt, ReceiptKeys } from '@thaw/contract/my-data';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ErasureRepository } from '../infrastructure/erasure.repository';
import { UserDataRepository } from '../infrastructure/user-data.repository';
import { readReceipt, ReceiptSignerService } from './receipt-signer.service';

/**
 * Receipts of erasures. A receipt is a JWS that this service has signed. Anyone who knows its id may read it, and the
 * number of items that are still stored about the user.
 */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly erasures: ErasureRepository,
    private readonly userData: UserDataRepository,
    private readonly signer: ReceiptSignerService,
  ) {}

  /** @throws DomainError not_found */
  async get(receiptId: string): Promise<Receipt> {
    const erasure = await this.erasures.find(receiptId);
    if (!erasure) throw new DomainError('not_found');
    const { requestedAt, receipt, finishedAt, userId } = erasure;
    return {
      state: finishedAt ? 'done' : 'running',
      requestedAt: requestedAt.toISOString(),
      receipt,
      content: receipt === null ? null : readReceipt(receipt),
      remaining: await this.userData.countRemaining(userId),
    };
  }

  /** @returns no key if RECEIPT_KEY is not set. */
  listKeys(): ReceiptKeys {
    return { keys: this.signer.publicKey ? [this.signer.publicKey] : [] };
  }
}
