import { Injectable } from '@nestjs/common';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { ConductService } from './conduct.service';

/**
 * New accounts of sanctioned users inherit the sanction, and new accounts of a device with many of them are flagged.
 * This runs in the transaction that creates the account, so that no account ever exists without its sanction or flag.
 */
@Injectable()
export class NewAccountsService {
  constructor(
    private readonly devices: DeviceAccountsService,
    private readonly conduct: ConductService,
  ) {}

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
          sourceEventId: `account-${userId}`, // one finding for each account
          evidence: null,
          evidenceHash: null,
        },
        manager,
      );
    }
  }
}
