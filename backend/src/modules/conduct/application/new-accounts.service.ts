import { Injectable } from '@nestjs/common';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { ConductService } from './conduct.service';

/**
 * New accounts of sanctioned users inherit the sanction, and those of a device with many new accounts are flagged, in
 * the transaction that creates the account: none exists without it.
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
          sourceEventId: `account-${userId}`,
          evidence: null,
          evidenceHash: null,
        },
        manager,
      );
    }
  }
}
