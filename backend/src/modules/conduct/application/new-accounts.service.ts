import { Injectable } from '@nestjs/common';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { ConductService } from './conduct.service';

/**
 * Lets a new account of a sanctioned user inherit the sanction, and flags a new account on a device with many new
 * accounts. Both happen in the transaction that creates the account, so that no account exists without its restriction.
 */
@Injectable()
export class NewAccountsService {
  constructor(
    private readonly devices: DeviceAccountsService,
    private readonly conduct: ConductService,
  ) {}

  // Runs after `DeviceAccountsService` (order 0) has recorded the device of the account.
  @InTransaction('AccountCreated', 1)
  async restrictNewAccount(account: TransactionEventMap['AccountCreated']): Promise<void> {
    const { userId, manager } = account;
    const { sanction, hasManyNewAccounts } = await this.devices.checkNewAccount(account, manager);
    if (sanction) {
      await this.conduct.executeForNewUser({ type: 'InheritSanction', userId, ...sanction }, manager);
    }
    if (hasManyNewAccounts) {
      // The finding flags the account.
      await this.conduct.executeForNewUser(
        {
          type: 'RaiseFinding',
          userId,
          finding: 'many_accounts',
          // This finding comes from no event. An id that is unique for the account makes it idempotent.
          sourceEventId: `account-${userId}`,
          evidence: null,
          evidenceHash: null,
        },
        manager,
      );
    }
  }
}
