import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Not, Repository } from 'typeorm';
import type { Login } from '../../../platform/http/login.decorator';
import { SessionEntity } from './session.entity';

export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

const hashOf = (sessionId: string): Buffer => createHash('sha256').update(sessionId).digest();

export interface NewSession {
  userId: number;
  familyId: string;
  /** If given, the session is only created while the user's credentials still have this version. */
  credentialsVersion?: number;
}

@Injectable()
export class SessionRepository {
  constructor(@InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>) {}

  findValid(sessionId: string): Promise<SessionEntity | null> {
    return this.sessions.findOneBy({ idHash: hashOf(sessionId), expiresAt: MoreThan(new Date()) });
  }

  /** The logins of all valid sessions among these, by session id; one query. */
  async loginsOf(sessionIds: readonly string[]): Promise<ReadonlyMap<string, Login>> {
    const hashes = sessionIds.map(hashOf);
    const idOf = new Map(hashes.map((hash, index) => [hash.toString('latin1'), sessionIds[index] ?? '']));
    const rows = await this.sessions.query<{ id_hash: Buffer; user_id: string; family_id: string }[]>(
      'SELECT id_hash, user_id, family_id FROM sessions WHERE id_hash = ANY($1::bytea[]) AND expires_at > $2',
      [hashes, new Date()],
    );
    return new Map(
      rows.map((row) => [
        idOf.get(row.id_hash.toString('latin1')) ?? '',
        { userId: Number(row.user_id), familyId: row.family_id },
      ]),
    );
  }

  /** @returns false when the password has been changed in the meantime. */
  async add(sessionId: string, { userId, familyId, credentialsVersion }: NewSession): Promise<boolean> {
    await this.deleteSomeExpired();
    const now = new Date();
    const row = [hashOf(sessionId), userId, familyId, now, new Date(now.getTime() + SESSION_LIFETIME_MS)];
    const insert = 'INSERT INTO sessions (id_hash, user_id, family_id, refreshed_at, expires_at)';
    const rows: unknown[] =
      credentialsVersion === undefined
        ? await this.sessions.query(`${insert} VALUES ($1, $2, $3, $4, $5) RETURNING 1`, row)
        : await this.sessions.query(
            `${insert} SELECT $1::bytea, $2::bigint, $3::uuid, $4::timestamptz, $5::timestamptz
             FROM credentials WHERE user_id = $2::bigint AND version = $6 FOR SHARE RETURNING 1`,
            [...row, credentialsVersion],
          );
    return rows.length > 0;
  }

  /** Extends the session by thirty days. A session that has ended is not restored. */
  async refresh(sessionId: string, now: Date): Promise<void> {
    await this.sessions.update(
      { idHash: hashOf(sessionId) },
      { refreshedAt: now, expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS) },
    );
  }

  /**
   * Moves a login's session to another id, and to another family if `login` names one. This is one statement, so a
   * family that continues is never without a session.
   * @returns false when the session has ended in the meantime; it is not restored.
   */
  async move(
    fromId: string,
    toId: string,
    { userId, familyId }: Login,
    manager: EntityManager = this.sessions.manager,
  ): Promise<boolean> {
    const now = new Date();
    const { affected } = await manager.update(
      SessionEntity,
      { idHash: hashOf(fromId), userId, expiresAt: MoreThan(now) },
      {
        idHash: hashOf(toId),
        familyId,
        refreshedAt: now,
        expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
      },
    );
    return affected === 1;
  }

  async remove(sessionId: string): Promise<void> {
    await this.sessions.delete({ idHash: hashOf(sessionId) });
  }

  async removeFamily(familyId: string, manager: EntityManager = this.sessions.manager): Promise<void> {
    await manager.delete(SessionEntity, { familyId });
  }

  async removeOtherFamilies(userId: number, familyId: string, manager: EntityManager): Promise<void> {
    await manager.delete(SessionEntity, { userId, familyId: Not(familyId) });
  }

  async liveFamilies(familyIds: readonly string[]): Promise<Set<string>> {
    if (familyIds.length === 0) return new Set();
    const live = await this.sessions.query<{ family_id: string }[]>(
      'SELECT family_id FROM sessions WHERE family_id = ANY($1::uuid[]) AND expires_at > $2',
      [familyIds, new Date()],
    );
    return new Set(live.map(({ family_id: familyId }) => familyId));
  }

  private async deleteSomeExpired(): Promise<void> {
    await this.sessions.query(`
      DELETE FROM sessions WHERE id_hash IN (
        SELECT id_hash FROM sessions WHERE expires_at < now() LIMIT 10 FOR UPDATE SKIP LOCKED
      )`);
  }
}
