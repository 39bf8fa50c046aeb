import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** A device that no account has used for this long is deleted. */
const UNUSED_KEPT_DAYS = 180;

/**
 * The table `devices`: which accounts were used on which device, i.e. in which browser. A browser has a random id in a
 * cookie; the table contains only the hash of the id.
 */
@Injectable()
export class DeviceRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Records that a user is signed in on a device now. */
  async recordUse(
    deviceHash: string,
    userId: number,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO devices (device_hash, user_id, first_seen_at, seen_at) VALUES ($1, $2, now(), now())
       ON CONFLICT (device_hash, user_id) DO UPDATE SET seen_at = EXCLUDED.seen_at`,
      [deviceHash, userId],
    );
  }

  /** Returns the accounts that were used on any device of the user, by id. Empty if the user has no recorded device. */
  async findAccountsOnDevicesOf(userId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ user_id: string }[]>(
      `SELECT DISTINCT all_uses.user_id FROM devices AS own_uses JOIN devices AS all_uses USING (device_hash)
       WHERE own_uses.user_id = $1 ORDER BY all_uses.user_id`,
      [userId],
    );
    return rows.map((row) => Number(row.user_id));
  }

  /** Counts the accounts of the device that were created within the last 24 hours. */
  async countNewAccounts(deviceHash: string, manager: EntityManager): Promise<number> {
    const [row] = await manager.query<{ count: string }[]>(
      `SELECT count(*) AS count FROM devices JOIN users ON users.id = devices.user_id
       WHERE devices.device_hash = $1 AND users.created_at > now() - interval '24 hours'`,
      [deviceHash],
    );
    return Number(row?.count ?? 0);
  }

  /** @returns the number of deleted rows. */
  async deleteUnused(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM devices WHERE seen_at < now() - make_interval(days => $1)`,
      [UNUSED_KEPT_DAYS],
    );
    return count;
  }
}
