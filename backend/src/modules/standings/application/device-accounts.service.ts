import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { InTransaction } from '../../../platform/process-events/process-event.decorator';
import type { TransactionEventMap } from '../../../platform/process-events/process-event-map.types';
import { BanKeyRepository, type InheritableSanction } from '../infrastructure/ban-key.repository';
import { DeviceRepository } from '../infrastructure/device.repository';
import { EmailHasherService } from '../infrastructure/email-hasher.service';

/** A device with more new accounts than this in 24 hours is conspicuous. */
export const NEW_ACCOUNTS_PER_DAY = 10;

export type { InheritableSanction } from '../infrastructure/ban-key.repository';

/** What the browser of a new account is known for. */
export interface AccountOrigin {
  /** A sanction in force of a user of the same device, or with the same address. */
  sanction: InheritableSanction | null;
  hasManyNewAccounts: boolean;
}

/** Which accounts were used in the same browser, by a cookie of which only the hash is stored. */
@Injectable()
export class DeviceAccountsService {
  constructor(
    private readonly devices: DeviceRepository,
    private readonly banKeys: BanKeyRepository,
    private readonly emails: EmailHasherService,
  ) {}

  /** Ids of all accounts that were used on a device of the user, with the user's own, in ascending order. */
  async findAccounts(userId: number): Promise<readonly number[]> {
    const found = await this.devices.findAccountsOnDevicesOf(userId);
    return found.length === 0 ? [userId] : found;
  }

  /** Records that a user is signed in on a device. */
  recordUse(deviceHash: string, userId: number): Promise<void> {
    return this.devices.recordUse(deviceHash, userId);
  }

  @InTransaction('AccountCreated', 0)
  async recordNewAccount({ userId, device, manager }: TransactionEventMap['AccountCreated']): Promise<void> {
    await this.devices.recordUse(device.hash, userId, manager);
  }

  /** What is known of the browser and the address of an account that was just created in the transaction. */
  async findOrigin(
    { device, email }: Pick<TransactionEventMap['AccountCreated'], 'device' | 'email'>,
    manager: EntityManager,
  ): Promise<AccountOrigin> {
    if (device.isNew && email === null) return { sanction: null, hasManyNewAccounts: false };
    const emailHash = email === null ? null : this.emails.hash(email);
    const sanction = await this.banKeys.findSanction({ deviceHash: device.hash, emailHash }, manager);
    const newAccounts = device.isNew ? 1 : await this.devices.countNewAccounts(device.hash, manager);
    return { sanction, hasManyNewAccounts: newAccounts > NEW_ACCOUNTS_PER_DAY };
  }
}
