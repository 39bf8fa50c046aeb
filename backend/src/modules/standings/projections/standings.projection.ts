import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { SanctionImposed, StandingEvent } from '../domain/standing.events';

/**
 * The fields of each event type that can be erased. A field may concern several users, such as the author of an appeal
 * and the reported user, so the types define no `subjectId` (the user whose erasure also erases the fields). The fields
 * expire instead, at the times that `evidence-retention.rules.ts` computes.
 */
const personalFields: Record<StandingEvent['type'], readonly string[]> = {
  PersonFlagged: [],
  FlagLifted: [],
  SanctionImposed: [],
  SanctionConfirmed: [],
  SanctionLifted: ['reason'],
  AppealDecided: ['answer'],
  AgeAsked: [],
  AgeAnswered: [],
  HoldPlaced: ['reason'],
  HoldLifted: ['reason'],
};

const types = Object.keys(personalFields) as StandingEvent['type'][];

export const standingEventTypes: readonly EventTypeDefinition[] = types.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: personalFields[type],
}));

type StoredStandingEvent = StoredEvent & StandingEvent;

const writeEvent = async (event: StoredStandingEvent, manager: EntityManager): Promise<void> => {
  const { userId } = event.data;
  switch (event.type) {
    case 'SanctionImposed':
      await insertSanction(event, manager);
      await writeGravest(userId, manager);
      return;
    case 'SanctionConfirmed': // a ban was confirmed in a second review
      await manager.query('UPDATE sanctions SET confirmed_at = $2 WHERE id = $1', [
        event.data.sanctionId,
        event.occurredAt,
      ]);
      return;
    case 'SanctionLifted':
      await manager.query('UPDATE sanctions SET lifted_at = $2 WHERE id = $1', [
        event.data.sanctionId,
        event.occurredAt,
      ]);
      await writeGravest(userId, manager);
      return;
    case 'AppealDecided': {
      const { sanctionId, until: newEnd } = event.data;
      // Only the decision to reduce a sanction changes it here: a reversed sanction is lifted by an event of its own.
      const isReduced = sanctionId !== null && newEnd !== null;
      if (!isReduced) return;
      // Bans have no end, so a reduced ban becomes a suspension.
      await manager.query(`UPDATE sanctions SET kind = 'suspended', until = $2 WHERE id = $1`, [
        sanctionId,
        newEnd,
      ]);
      await writeGravest(userId, manager);
      return;
    }
    case 'PersonFlagged': {
      const { until, noticeId } = event.data;
      await manager.query(
        `INSERT INTO standings (user_id, flagged_at, flagged_until, flag_notice_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) DO UPDATE SET flagged_at = EXCLUDED.flagged_at,
           flagged_until = EXCLUDED.flagged_until, flag_notice_id = EXCLUDED.flag_notice_id`,
        [userId, event.occurredAt, until, noticeId],
      );
      return;
    }
    case 'FlagLifted':
      await manager.query(
        `UPDATE standings SET flagged_at = NULL, flagged_until = NULL, flag_notice_id = NULL WHERE user_id = $1`,
        [userId],
      );
      return;
    case 'AgeAsked':
      await manager.query(
        `INSERT INTO standings (user_id, age_asked_at, age_notice_id) VALUES ($1, $2, $3)
         ON CONFLICT (user_id) DO UPDATE SET age_asked_at = EXCLUDED.age_asked_at,
           age_notice_id = EXCLUDED.age_notice_id`,
        [userId, event.occurredAt, event.data.noticeId],
      );
      return;
    case 'AgeAnswered':
      await manager.query(
        'UPDATE standings SET age_asked_at = NULL, age_notice_id = NULL WHERE user_id = $1',
        [userId],
      );
      return;
    case 'HoldPlaced':
      await writeHold(userId, { isHeld: true }, manager);
      return;
    case 'HoldLifted':
      await writeHold(userId, { isHeld: false }, manager);
      return;
    default:
      return event satisfies never;
  }
};

const insertSanction = async (event: SanctionImposed, manager: EntityManager): Promise<void> => {
  const { occurredAt, data } = event;
  await manager.query(
    `INSERT INTO sanctions
       (id, user_id, kind, rule, starts_at, until, notice_id, case_id, is_automatic, inherited_from)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      data.sanctionId,
      data.userId,
      data.kind,
      data.rule,
      occurredAt,
      data.until,
      data.noticeId,
      data.caseId,
      data.isAutomatic,
      data.inheritedFrom,
    ],
  );
};

/** A legal hold: the user's data must not be erased. */
const writeHold = async (
  userId: number,
  { isHeld }: { isHeld: boolean },
  manager: EntityManager,
): Promise<void> => {
  await manager.query(
    `INSERT INTO standings (user_id, is_held) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET is_held = EXCLUDED.is_held`,
    [userId, isHeld],
  );
};

/**
 * Copies the user's gravest sanction that was not lifted to `standings`. If there is none, the `LEFT JOIN` still gives
 * one row, so nulls are written. `compareGravity` in `standing.state.ts` uses the same order: bans first, then the
 * latest end, and no end (null) is later than any end.
 */
const writeGravest = async (userId: number, manager: EntityManager): Promise<void> => {
  await manager.query(
    `INSERT INTO standings (user_id, sanction_kind, sanctioned_at, sanctioned_until, sanction_notice_id)
     SELECT sanctioned.user_id, gravest.kind, gravest.starts_at, gravest.until, gravest.notice_id
     FROM (SELECT $1::bigint AS user_id) AS sanctioned
     LEFT JOIN LATERAL (
       SELECT kind, starts_at, until, notice_id FROM sanctions
       WHERE sanctions.user_id = sanctioned.user_id AND lifted_at IS NULL
       ORDER BY (kind = 'banned') DESC, until DESC NULLS FIRST, id LIMIT 1
     ) AS gravest ON true
     ON CONFLICT (user_id) DO UPDATE SET
       sanction_kind = EXCLUDED.sanction_kind, sanctioned_at = EXCLUDED.sanctioned_at,
       sanctioned_until = EXCLUDED.sanctioned_until, sanction_notice_id = EXCLUDED.sanction_notice_id`,
    [userId],
  );
};

/** The read model of what moderation allows each user (`standings`), and of the suspensions and bans behind it. */
export const standingsProjection: Projection = {
  name: 'standings',
  tables: ['sanctions', 'standings'],
  handles: types,
  async apply(events, manager) {
    for (const event of events) await writeEvent(event as StoredStandingEvent, manager);
  },
};
