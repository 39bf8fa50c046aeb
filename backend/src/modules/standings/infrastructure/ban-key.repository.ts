import { Injectable } from '@nestjs/common';
import type { HouseRule } from '@thaw/contract/safety';
import { DataSource, type EntityManager } from 'typeorm';
import type { SanctionKind } from '../domain/standing.events';

/** Keys expire at the end of the sanction, but at the latest after this time. */
const MAX_KEPT_DAYS = 365;
/** A device that has been unused for longer may belong to another person now. */
const USED_WITHIN_DAYS = 30;

/** A sanction in force that a new account inherits. */
export interface InheritableSanction {
  sanctionId: number;
  kind: SanctionKind;
  rule: HouseRule;
  /** Null for a sanction without an end. */
  until: Date | null;
}

/** Hashes that a new account may have in common with a sanctioned user. */
export interface AccountKeys {
  deviceHash: string;
  emailHash: string | null;
}

/**
 * Deletes the keys of the sanction $1 and of the sanctions inherited from it. With OR instead of UNION ALL, PostgreSQL
 * would read all of `ban_keys`.
 */
export const DELETE_BAN_KEYS_SQL = `
DELETE FROM ban_keys WHERE sanction_id IN (
  SELECT $1::bigint UNION ALL SELECT id FROM sanctions WHERE inherited_from = $1)`;

/** The table `ban_keys`: the hashes (keys) by which new accounts of suspended or banned users are recognised. */
@Injectable()
export class BanKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds the devices that the sanctioned user has used within the last `USED_WITHIN_DAYS`. */
  async addDevices(
    userId: number,
    sanctionId: number,
    until: Date | null,
    manager: EntityManager,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO ban_keys (kind, key_hash, sanction_id, expires_at)
       SELECT 'device', device_hash, $2, LEAST($3::timestamptz, now() + make_interval(days => $4))
       FROM devices WHERE user_id = $1 AND seen_at > now() - make_interval(days => $5)
       ON CONFLICT DO NOTHING`,
      [userId, sanctionId, until, MAX_KEPT_DAYS, USED_WITHIN_DAYS],
    );
  }

  /**
   * Called when a second moderator has confirmed a ban, which is in force already. Adds the e-mail hash, if the user
   * has one, and keeps all keys of the ban for `MAX_KEPT_DAYS` from now.
   */
  async confirm(sanctionId: number, emailHash: string | null, manager: EntityManager): Promise<void> {
    if (emailHash !== null) {
      // The expiry `now()` is provisional: `setExpiry` below replaces it.
      await manager.query(
        `INSERT INTO ban_keys (kind, key_hash, sanction_id, expires_at) VALUES ('email', $2, $1, now())
         ON CONFLICT DO NOTHING`,
        [sanctionId, emailHash],
      );
    }
    await this.setExpiry(sanctionId, null, manager);
  }

  /** Applies the new end of a sanction that an appeal has reduced to a suspension. Only bans have an e-mail key. */
  async reduce(sanctionId: number, until: Date, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM ban_keys WHERE sanction_id = $1 AND kind = 'email'`, [sanctionId]);
    await this.setExpiry(sanctionId, until, manager);
  }

  /** Deletes the keys of a sanction and of the sanctions inherited from it. */
  async delete(sanctionId: number, manager: EntityManager): Promise<void> {
    await manager.query(DELETE_BAN_KEYS_SQL, [sanctionId]);
  }

  /**
   * Finds the gravest sanction in force with one of the keys. For an inherited sanction, the returned id is that of the
   * sanction from which it was inherited.
   */
  async findSanction(
    { deviceHash, emailHash }: AccountKeys,
    manager: EntityManager,
  ): Promise<InheritableSanction | null> {
    const [row] = await manager.query<
      { id: string; kind: SanctionKind; rule: HouseRule; until: Date | null }[]
    >(
      `SELECT COALESCE(sanctions.inherited_from, sanctions.id) AS id, sanctions.kind, sanctions.rule, sanctions.until
       FROM ban_keys JOIN sanctions ON sanctions.id = ban_keys.sanction_id
       WHERE (ban_keys.kind, ban_keys.key_hash) IN (('device', $1), ('email', $2)) AND ban_keys.expires_at > now()
         AND sanctions.lifted_at IS NULL AND (sanctions.until IS NULL OR sanctions.until > now())
       ORDER BY (sanctions.kind = 'banned') DESC, sanctions.until DESC NULLS FIRST, sanctions.id LIMIT 1`,
      [deviceHash, emailHash],
    );
    return row ? { sanctionId: Number(row.id), kind: row.kind, rule: row.rule, until: row.until } : null;
  }

  /** @returns the number of deleted rows. */
  async deleteExpired(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM ban_keys WHERE expires_at <= now()',
    );
    return count;
  }

  /**
   * Sets when the keys of a sanction expire. Those of inherited sanctions stay as they are: if an inherited sanction is
   * shortened, a new sanction with its own keys replaces it.
   * @param until the end of the sanction; null if it has none, since LEAST ignores NULL
   */
  private async setExpiry(sanctionId: number, until: Date | null, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE ban_keys SET expires_at = LEAST($2::timestamptz, now() + make_interval(days => $3))
       WHERE sanction_id = $1`,
      [sanctionId, until, MAX_KEPT_DAYS],
    );
  }
}
