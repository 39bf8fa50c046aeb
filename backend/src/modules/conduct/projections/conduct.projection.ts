import type { EntityManager } from 'typeorm';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { StandingEvent } from '../../standings/domain/standing.events';
import type { ConductEvent } from '../domain/conduct.events';
import { computeClaimEnd } from '../domain/conduct.state';
import { conductOnlyTypes } from './conduct.event-types';
import { projectNotices } from './notice-rows.projection';

/** The types of the events about a user's restrictions, as a Record, so that the compiler reports a missing one. */
const standingTypes: Record<StandingEvent['type'], true> = {
  PersonFlagged: true,
  FlagLifted: true,
  SanctionImposed: true,
  SanctionConfirmed: true,
  SanctionLifted: true,
  AppealDecided: true,
  AgeAsked: true,
  AgeAnswered: true,
  HoldPlaced: true,
  HoldLifted: true,
};

export type StoredConductEvent = StoredEvent & ConductEvent;

/** Kinds of automatic findings, gravest first. */
const FINDINGS_BY_GRAVITY = ['stated_age', 'image_match', 'classifier', 'many_accounts'];

/** Writes the case, the reports and the appeal that an event changes. */
const projectCase = async (event: StoredConductEvent, manager: EntityManager): Promise<void> => {
  const { userId } = event.data;
  switch (event.type) {
    case 'CaseOpened':
      return openCase(event, manager);
    case 'ReportFiled':
      return insertReport(event, manager);
    case 'FindingRaised':
      // Keeps the graver finding. Without an earlier one the comparison is NULL, so the new one is stored.
      await manager.query(
        `UPDATE conduct_cases SET is_automatic = true, finding = CASE
           WHEN array_position($3::text[], finding) < array_position($3::text[], $2) THEN finding ELSE $2 END
         WHERE id = $1`,
        [event.data.caseId, event.data.finding, FINDINGS_BY_GRAVITY],
      );
      return;
    case 'CaseClaimed': {
      // A claim reserves the case for one moderator.
      const { caseId, moderatorId, until } = event.data;
      await manager.query('UPDATE conduct_cases SET claimed_by = $2, claimed_until = $3 WHERE id = $1', [
        caseId,
        moderatorId,
        until,
      ]);
      return;
    }
    case 'CaseReleased':
      return releaseClaim(event.data.caseId, manager);
    case 'CaseNoted': {
      const { caseId, moderatorId } = event.data;
      // A note of the moderator who has claimed the case extends the claim.
      await manager.query(
        `UPDATE conduct_cases SET claimed_until = $3
         WHERE id = $1 AND claimed_by = $2 AND claimed_until > $4`,
        [caseId, moderatorId, computeClaimEnd(event.occurredAt), event.occurredAt],
      );
      return;
    }
    case 'CaseEscalated':
      await manager.query(
        `UPDATE conduct_cases
         SET state = 'escalated', escalated_by = $2, claimed_by = NULL, claimed_until = NULL WHERE id = $1`,
        [event.data.caseId, event.data.moderatorId],
      );
      return;
    case 'CaseDecided':
      return storeDecision(event, manager);
    case 'AppealFiled': {
      const { appealId, noticeId, caseId, appellantId } = event.data;
      await manager.query(
        `INSERT INTO appeals (id, case_id, user_id, appellant_id, notice_id, created_at, event_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [appealId, caseId, userId, appellantId, noticeId, event.occurredAt, event.eventId],
      );
      return;
    }
    case 'AppealDecided': {
      const { appealId, caseId, moderatorId, outcome } = event.data;
      await manager.query(
        `UPDATE appeals SET decided_at = $2, decided_by = $3, outcome = $4, decision_event_id = $5 WHERE id = $1`,
        [appealId, event.occurredAt, moderatorId, outcome, event.eventId],
      );
      return releaseClaim(caseId, manager);
    }
    case 'SanctionConfirmed':
      return releaseClaim(event.data.caseId, manager);
    case 'SanctionImposed':
      return event.data.isAutomatic ? markAutomatic(event.data.caseId, manager) : undefined;
    case 'PersonWarned':
    case 'PersonFlagged':
    case 'FlagLifted':
    case 'SanctionLifted':
    case 'AgeAsked':
    case 'AgeAnswered':
    case 'HoldPlaced':
    case 'HoldLifted':
    case 'EvidenceExpired':
      return;
    default:
      return event satisfies never;
  }
};

/**
 * Inserts a case. An appeal opens an existing case again: the case keeps its `kind` and `opened_at`, and its reports
 * become undecided. `decision_event_id` stays, too: it is read only after the next decision, which replaces it.
 */
const openCase = async (
  event: Extract<StoredConductEvent, { type: 'CaseOpened' }>,
  manager: EntityManager,
): Promise<void> => {
  const { userId, caseId, kind } = event.data;
  // `writeVersions` sets the version, which is 0 here.
  await manager.query(
    `INSERT INTO conduct_cases (id, user_id, state, kind, version, opened_at) VALUES ($1, $2, 'open', $3, 0, $4)
     ON CONFLICT (id) DO UPDATE SET state = 'open', claimed_by = NULL, claimed_until = NULL, escalated_by = NULL,
       decided_at = NULL, decided_by = NULL, outcome = NULL, rule = NULL`,
    [caseId, userId, kind, event.occurredAt],
  );
  await manager.query('UPDATE reports SET decided_at = NULL, outcome = NULL WHERE case_id = $1', [caseId]);
};

/** `countsAs` is the id under which the report is counted: the accounts of one device share one. */
const insertReport = async (
  event: Extract<StoredConductEvent, { type: 'ReportFiled' }>,
  manager: EntityManager,
): Promise<void> => {
  const { userId, reportId, caseId, reporterId, countsAs, weight, category, context } = event.data;
  await manager.query(
    `INSERT INTO reports (id, case_id, user_id, reporter_id, counts_as, weight, category, place, session_id, chat_at,
       created_at, event_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      reportId,
      caseId,
      userId,
      reporterId,
      countsAs,
      weight,
      category,
      context.where,
      context.where === 'random_chat' ? context.sessionId : null,
      context.at,
      event.occurredAt,
      event.eventId,
    ],
  );
};

const storeDecision = async (
  event: Extract<StoredConductEvent, { type: 'CaseDecided' }>,
  manager: EntityManager,
): Promise<void> => {
  const { caseId, moderatorId, outcome, rule, reports } = event.data;
  await manager.query(
    `UPDATE conduct_cases
     SET state = 'decided', decided_at = $2, decided_by = $3, outcome = $4, rule = $5, decision_event_id = $6,
       escalated_by = NULL, claimed_by = NULL, claimed_until = NULL
     WHERE id = $1`,
    [caseId, event.occurredAt, moderatorId, outcome, rule, event.eventId],
  );
  await manager.query('UPDATE reports SET decided_at = $2, outcome = $3 WHERE id = ANY($1::bigint[])', [
    reports.map(({ reportId }) => reportId),
    event.occurredAt,
    outcome === 'dismissed' ? 'no_violation' : 'action_taken',
  ]);
};

/** Does nothing if `caseId` is null, as for a sanction outside a case. */
const releaseClaim = async (caseId: number | null, manager: EntityManager): Promise<void> => {
  await manager.query('UPDATE conduct_cases SET claimed_by = NULL, claimed_until = NULL WHERE id = $1', [
    caseId,
  ]);
};

/** Does nothing if `caseId` is null, as for a sanction outside a case. */
const markAutomatic = async (caseId: number | null, manager: EntityManager): Promise<void> => {
  await manager.query('UPDATE conduct_cases SET is_automatic = true WHERE id = $1', [caseId]);
};

/**
 * Writes the version of the user's stream to every case of the user. A moderator's decision contains the version that
 * the moderator has seen, and is refused when the stream has changed since.
 */
const writeVersions = async (
  events: readonly StoredConductEvent[],
  manager: EntityManager,
): Promise<void> => {
  // The last event of each user determines the version.
  const versions = new Map(events.map(({ data, streamPosition }) => [data.userId, streamPosition]));
  for (const [userId, version] of versions)
    await manager.query('UPDATE conduct_cases SET version = $2 WHERE user_id = $1', [userId, version]);
};

/** One projection for four tables: `projectNotices` reads cases, reports and appeals as they are at its event. */
export const conductProjection: Projection = {
  name: 'conduct',
  tables: ['conduct_cases', 'reports', 'appeals', 'notices'],
  handles: [...conductOnlyTypes, ...Object.keys(standingTypes)],
  async apply(stored, manager) {
    const events = stored as readonly StoredConductEvent[];
    for (const event of events) {
      await projectCase(event, manager);
      await projectNotices(event, manager);
    }
    await writeVersions(events, manager);
  },
};
