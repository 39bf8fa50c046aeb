import { Injectable } from '@nestjs/common';
import type { HouseRule } from '@thaw/contract/safety';
import { DataSource, type EntityManager } from 'typeorm';
import type { SanctionKind } from '../domain/standing.events';

/** Keys expire at the end of the sanction, or after this time if that is earlier. */
const KEPT_DAYS = 365;
/** A device unused for longer may belong to another person now. */
const USED_WITHIN_DAYS = 30;

/** A sanction in force that a new account inherits. */
export interface InheritableSanction {
  sanctionId: number;
  kind: SanctionKind;
  rule: HouseRule;
  /** Null without an end. */
  until: Date | null;
}

/** Hashes that a new account may have in common with a sanctioned user. */
export interface AccountKeys {
  deviceHash: string;
  emailHash: string | null;
}

/** $1: the sanction. With OR instead of the subquery, PostgreSQL would scan the table. */
export const DELETE_BAN_KEYS_SQL = `
DELETE FROM ban_keys WHERE sanction_id IN (
  SELECT $1::bigint UNION ALL SELECT id FROM sanctions WHERE inherited_from = $1)`;

/** The table `ban_keys`: hashes by which new accounts of sanctioned users are recognised. */
@Injectable()
export class BanKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds the devices that the sanctioned user has used within the last 30 days. */
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
      [userId, sanctionId, until, KEPT_DAYS, USED_WITHIN_DAYS],
    );
  }

  /** Adds the hash of the e-mail address, if any, and renews the other keys of the sanction. */
  async confirm(sanctionId: number, emailHash: string | null, manager: EntityManager): Promise<void> {
    if (emailHash !== null) {
      await manager.query(
        `INSERT INTO ban_keys (kind, key_hash, sanction_id, expires_at) VALUES ('email', $2, $1, now())
         ON CONFLICT DO NOTHING`,
        [sanctionId, emailHash],
      );
    }
    await this.expireAt(sanctionId, null, manager);
  }

  /** Applies a new end: the sanction is now a suspension, which has no e-mail key. */
  async reduce(sanctionId: number, until: Date, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM ban_keys WHERE sanction_id = $1 AND kind = 'email'`, [sanctionId]);
    await this.expireAt(sanctionId, until, manager);
  }

  /** Deletes the keys of a sanction and of the sanctions inherited from it. */
  async delete(sanctionId: number, manager: EntityManager): Promise<void> {
    await manager.query(DELETE_BAN_KEYS_SQL, [sanctionId]);
  }

  /** Finds the gravest sanction in force with one of the keys. For an inherited sanction, the id is the original's. */
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

  private async expireAt(sanctionId: number, until: Date | null, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE ban_keys SET expires_at = LEAST($2::timestamptz, now() + make_interval(days => $3))
       WHERE sanction_id = $1`,
      [sanctionId, until, KEPT_DAYS],
    );
  }
}
