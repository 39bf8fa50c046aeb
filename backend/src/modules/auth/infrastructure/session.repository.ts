import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Not, Repository } from 'typeorm';
import type { Standing } from '@thaw/contract/safety';
import { runPrepared } from '../../../platform/database/prepared-statement.functions';
import type { Access, Login } from '../../../platform/http/login.decorator';
import type { SocketIdentity } from '../../../platform/realtime/socket-identity.port';
import { selectStandingSql, type StandingRow, toStanding } from '../../standings/application/standing.sql';
import { SessionEntity } from './session.entity';

export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;
/** Each new session deletes a few expired ones in the same statement, so no job is needed. */
const EXPIRED_DELETED_PER_INSERT = 10;

/** When a session ends that is created or extended now. */
const computeExpiry = (now: Date): Date => new Date(now.getTime() + SESSION_LIFETIME_MS);

const hashSessionId = (sessionId: string): Buffer => createHash('sha256').update(sessionId).digest();

export interface NewSession {
  userId: number;
  /** UUID of the family: the session ids that replace one another in one login. */
  familyId: string;
  /**
   * If given, the session is only created while the user's credentials still have this version, which a change of the
   * password increases.
   */
  credentialsVersion?: number;
}

/** The login of a session whose id `replaceId` has replaced: the same login as before, perhaps with a new family. */
export interface ContinuedLogin extends Login {
  /** The family that `familyId` replaces; undefined if the family stays. */
  previousFamilyId?: string;
}

/** A session that has not expired. */
export interface FoundSession extends Login {
  refreshedAt: Date;
  expiresAt: Date;
  access: Access;
}

interface SessionRow extends StandingRow {
  user_id: string;
  family_id: string;
  refreshed_at: Date;
  expires_at: Date;
  is_moderator: boolean;
}

/**
 * Prepared, because it runs for each request. `sessions` has no foreign key to `users`, so the row of the user may be
 * missing.
 */
const findValidStatement = {
  name: 'find_valid_session',
  text: `
    SELECT sessions.user_id, sessions.family_id, sessions.refreshed_at, sessions.expires_at,
      COALESCE(users.is_moderator, false) AS is_moderator, ${selectStandingSql('standings')}
    FROM sessions
    LEFT JOIN standings ON standings.user_id = sessions.user_id
    LEFT JOIN users ON users.id = sessions.user_id
    WHERE sessions.id_hash = $1 AND sessions.expires_at > $2`,
};

/**
 * Compares `expires_at`, which a process has set by its clock, with the clock of PostgreSQL. A small difference between
 * the clocks does not matter to a lifetime of thirty days.
 */
const deleteAndInsertSql = `
  WITH expired AS (
    SELECT id_hash FROM sessions WHERE expires_at < now() LIMIT ${EXPIRED_DELETED_PER_INSERT} FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM sessions USING expired WHERE sessions.id_hash = expired.id_hash
  )
  INSERT INTO sessions (id_hash, user_id, family_id, refreshed_at, expires_at)`;

/** Prepared, because it runs for each anonymous sign-up. */
const addStatement = {
  name: 'add_session',
  text: `${deleteAndInsertSql} VALUES ($1, $2, $3, $4, $5) RETURNING 1`,
};

/**
 * Prepared, because it runs for each sign-in with a password. FOR SHARE makes it wait for a change of the password that
 * is being committed.
 */
const addWithCredentialsStatement = {
  name: 'add_session_with_credentials',
  text: `${deleteAndInsertSql}
    SELECT $1::bytea, $2::bigint, $3::uuid, $4::timestamptz, $5::timestamptz
    FROM credentials WHERE user_id = $2::bigint AND version = $6 FOR SHARE RETURNING 1`,
};

const toFoundSession = (row: SessionRow): FoundSession => ({
  userId: Number(row.user_id),
  familyId: row.family_id,
  refreshedAt: row.refreshed_at,
  expiresAt: row.expires_at,
  access: { standing: toStanding(row), isModerator: row.is_moderator },
});

@Injectable()
export class SessionRepository {
  constructor(@InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>) {}

  /** Finds a session and, in the same query, its user's access: restrictions, and whether they are a moderator. */
  async findValid(sessionId: string): Promise<FoundSession | null> {
    const parameters = [hashSessionId(sessionId), new Date()];
    const [row] = await runPrepared<SessionRow[]>(this.sessions.manager, findValidStatement, parameters);
    return row ? toFoundSession(row) : null;
  }

  /**
   * Finds the identities of many sessions, with the standings of their users, in one query.
   * @returns the identities by session id; sessions that do not exist or have expired are absent.
   */
  async findSocketIdentities(sessionIds: readonly string[]): Promise<ReadonlyMap<string, SocketIdentity>> {
    const hashes: Buffer[] = [];
    // The keys are strings, because a Map compares Buffers by identity. `latin1` keeps every byte as one character.
    const sessionIdByHash = new Map<string, string>();
    for (const sessionId of sessionIds) {
      const hash = hashSessionId(sessionId);
      hashes.push(hash);
      sessionIdByHash.set(hash.toString('latin1'), sessionId);
    }
    const rows = await this.sessions.query<
      (StandingRow & { id_hash: Buffer; user_id: string; family_id: string })[]
    >(
      `SELECT sessions.id_hash, sessions.user_id, sessions.family_id, ${selectStandingSql('standings')}
       FROM sessions LEFT JOIN standings ON standings.user_id = sessions.user_id
       WHERE sessions.id_hash = ANY($1::bytea[]) AND sessions.expires_at > $2`,
      [hashes, new Date()],
    );
    const identities = new Map<string, SocketIdentity>();
    for (const row of rows) {
      const sessionId = sessionIdByHash.get(row.id_hash.toString('latin1'));
      if (sessionId === undefined) throw new Error('The query returned a session that was not requested');
      identities.set(sessionId, {
        userId: Number(row.user_id),
        familyId: row.family_id,
        standing: toStanding(row),
      });
    }
    return identities;
  }

  /**
   * Adds a session and deletes some expired ones.
   * @returns false when no session was added, because the credentials no longer have `credentialsVersion`.
   */
  async add(sessionId: string, { userId, familyId, credentialsVersion }: NewSession): Promise<boolean> {
    const now = new Date();
    const values = [hashSessionId(sessionId), userId, familyId, now, computeExpiry(now)];
    const { manager } = this.sessions;
    const insertedRows =
      credentialsVersion === undefined
        ? await runPrepared<unknown[]>(manager, addStatement, values)
        : await runPrepared<unknown[]>(manager, addWithCredentialsStatement, [...values, credentialsVersion]);
    return insertedRows.length > 0;
  }

  /** Extends the session to thirty days from `now`. Does nothing if the session has been deleted. */
  async refresh(sessionId: string, now: Date): Promise<void> {
    await this.sessions.update(
      { idHash: hashSessionId(sessionId) },
      { refreshedAt: now, expiresAt: computeExpiry(now) },
    );
  }

  /**
   * Replaces the id of a session, and its family if `familyId` is a new one. One statement does both, so no query finds
   * the login without a session.
   * @returns false when the session has ended in the meantime; it is not restored.
   */
  async replaceId(
    oldSessionId: string,
    newSessionId: string,
    { userId, familyId, previousFamilyId }: ContinuedLogin,
    manager: EntityManager = this.sessions.manager,
  ): Promise<boolean> {
    const now = new Date();
    const { affected } = await manager.update(
      SessionEntity,
      { idHash: hashSessionId(oldSessionId), userId, expiresAt: MoreThan(now) },
      {
        idHash: hashSessionId(newSessionId),
        familyId,
        previousFamilyId, // TypeORM leaves the column unchanged if this is undefined
        refreshedAt: now,
        expiresAt: computeExpiry(now),
      },
    );
    return affected === 1;
  }

  async remove(sessionId: string): Promise<void> {
    await this.sessions.delete({ idHash: hashSessionId(sessionId) });
  }

  async removeFamily(familyId: string, manager: EntityManager = this.sessions.manager): Promise<void> {
    await manager.delete(SessionEntity, { familyId });
  }

  /** Deletes the user's sessions in all families except `familyId`. */
  async removeOtherFamilies(userId: number, familyId: string, manager: EntityManager): Promise<void> {
    await manager.delete(SessionEntity, { userId, familyId: Not(familyId) });
  }

  /** Deletes the sessions of every login of the user. */
  async removeSessionsOfUser(userId: number, manager: EntityManager): Promise<void> {
    await manager.delete(SessionEntity, { userId });
  }

  /**
   * Finds which of the families are live, which means that they have a valid session.
   * @returns the standing of the user (the restrictions in force) by live family.
   */
  async findLiveFamilies(familyIds: readonly string[]): Promise<ReadonlyMap<string, Standing>> {
    if (familyIds.length === 0) return new Map();
    const rows = await this.sessions.query<(StandingRow & { family_id: string })[]>(
      `SELECT sessions.family_id, ${selectStandingSql('standings')}
       FROM sessions LEFT JOIN standings ON standings.user_id = sessions.user_id
       WHERE sessions.family_id = ANY($1::uuid[]) AND sessions.expires_at > $2`,
      [familyIds, new Date()],
    );
    return new Map(rows.map((row) => [row.family_id, toStanding(row)]));
  }

  /** @returns those of the families that were replaced by a family with a valid session. */
  async findRenewedFamilies(familyIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (familyIds.length === 0) return new Set();
    const rows = await this.sessions.query<{ previous_family_id: string }[]>(
      'SELECT previous_family_id FROM sessions WHERE previous_family_id = ANY($1::uuid[]) AND expires_at > $2',
      [familyIds, new Date()],
    );
    return new Set(rows.map((row) => row.previous_family_id));
  }
}
