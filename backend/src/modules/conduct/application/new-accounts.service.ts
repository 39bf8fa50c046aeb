import { Injectable } from '@nestjs/common';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { ConductService } from './conduct.service';

/**
 * A new account of a sanctioned user inherits the sanction. A new account on a device with many new accounts is
 * flagged. This runs in the transaction that creates the account, so that no account ever exists without its sanction
 * or flag.
 */
@Injectable()
export class NewAccountsService {
  constructor(
    private readonly devices: DeviceAccountsService,
    private readonly conduct: ConductService,
  ) {}

  // Runs after `DeviceAccountsService` (order 0) has recorded the device of the account.
  @InTransaction('AccountCreated', 1)
  async applyOrigin(account: TransactionEventMap['AccountCreated']): Promise<void> {
    const { userId, manager } = account;
    const { sanction, hasManyNewAccounts } = await this.devices.findOrigin(account, manager);
    if (sanction) {
      await this.conduct.applyToNewUser({ type: 'InheritSanction', userId, ...sanction }, manager);
    }
    if (hasManyNewAccounts) {
      await this.conduct.applyToNewUser(
        {
          type: 'RaiseFinding',
          userId,
          finding: 'many_accounts',
          // Not the id of an event, but it is unique for the account, so that a finding is raised once.
          sourceEventId: `account-${userId}`,
          evidence: null,
          evidenceHash: null,
        },
        manager,
      );
    }
  }
}
