import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { BanKeyRepository, type InheritableSanction } from '../infrastructure/ban-key.repository';
import { DeviceRepository } from '../infrastructure/device.repository';
import { EmailHasherService } from '../infrastructure/email-hasher.service';

/** A new account is flagged when its device has more than this number of new accounts in 24 hours, itself included. */
const MAX_NEW_ACCOUNTS_PER_DAY = 10;

/** What the device and the e-mail address of a new account reveal about earlier accounts. */
export interface NewAccountCheck {
  /** A sanction in force against another account of the same device or with the same e-mail address. */
  sanction: InheritableSanction | null;
  hasManyNewAccounts: boolean;
}

/**
 * Records which accounts are used on a device, and checks the device and the e-mail address of new accounts. A device
 * is a browser, recognised by the random id in a cookie. Only the hash of this id is stored.
 */
@Injectable()
export class DeviceAccountsService {
  constructor(
    private readonly devices: DeviceRepository,
    /** Hashes of the devices and e-mail addresses of sanctioned users. */
    private readonly banKeys: BanKeyRepository,
    private readonly emails: EmailHasherService,
  ) {}

  /** Ids of all accounts used on any device of the user, ascending. They always include the user's own id. */
  async findAccounts(userId: number): Promise<readonly number[]> {
    const accountIds = await this.devices.findAccountsOnDevicesOf(userId);
    const hasRecordedDevice = accountIds.length > 0;
    return hasRecordedDevice ? accountIds : [userId];
  }

  /** Records that a user is signed in on a device. */
  recordUse(deviceHash: string, userId: number): Promise<void> {
    return this.devices.recordUse(deviceHash, userId);
  }

  // Order 0: before `NewAccountsService` (order 1) calls `checkNewAccount`, which counts the recorded accounts.
  @InTransaction('AccountCreated', 0)
  async recordNewAccount({ userId, device, manager }: TransactionEventMap['AccountCreated']): Promise<void> {
    await this.devices.recordUse(device.hash, userId, manager);
  }

  /** Checks the device and the e-mail address of an account that this transaction has created. */
  async checkNewAccount(
    { device, email }: Pick<TransactionEventMap['AccountCreated'], 'device' | 'email'>,
    manager: EntityManager,
  ): Promise<NewAccountCheck> {
    // A new device has only this account. Without an e-mail address either, no sanction can be found.
    if (device.isNew && email === null) return { sanction: null, hasManyNewAccounts: false };
    const emailHash = email === null ? null : this.emails.hash(email);
    const sanction = await this.banKeys.findSanction({ deviceHash: device.hash, emailHash }, manager);
    const newAccountCount = device.isNew ? 1 : await this.devices.countNewAccounts(device.hash, manager);
    return { sanction, hasManyNewAccounts: newAccountCount > MAX_NEW_ACCOUNTS_PER_DAY };
  }
}
