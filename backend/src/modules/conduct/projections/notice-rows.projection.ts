import type { HouseRule, NoticeKind } from '@thaw/contract/safety';
import type { EntityManager } from 'typeorm';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { ConductEvent } from '../domain/conduct.events';

type StoredConductEvent = StoredEvent & ConductEvent;

/**
 * Why an automatic rule sent a notice. `reports`: several users reported the user. `many_accounts`: their device has
 * many new accounts. `sanction_lapsed`: an automatic suspension ended before a moderator decided. `age`: they stated an
 * age under 18, or sent a blocked image. `inherited`: another account on their device or with their address is
 * sanctioned.
 */
export type AutomaticCause = 'reports' | 'many_accounts' | 'sanction_lapsed' | 'age' | 'inherited';

interface NoticeRow {
  /** Null for an event without a notice. */
  noticeId: number | null;
  recipientId: number;
  kind: NoticeKind;
  caseId: number | null;
  rule?: HouseRule;
  cause?: AutomaticCause;
  sanctionId?: number;
  /** When the sanction or the flag begins and ends; `until` is null for one without an end. */
  startsAt?: Date;
  until?: string | null;
  isAppealable?: boolean;
  /** Whether the only moderator has reviewed their own decision. */
  isSolo?: boolean;
  /** The notice against which the answered appeal was filed. */
  appealedNoticeId?: number;
  report?: { id: number; outcome: 'action_taken' | 'no_violation' };
  /** Which event has the text of the notice: the last decision of the case, or the event that sends the notice. */
  textSource?: 'decision' | 'event';
}

/** Writes the rows of `notices` that an event results in. */
export const projectNotices = async (event: StoredConductEvent, manager: EntityManager): Promise<void> => {
  const { occurredAt: startsAt } = event;
  const { userId: recipientId } = event.data;
  /** Inserts a notice to the user of the stream, unless the row names another recipient. */
  const insert = (row: Omit<NoticeRow, 'recipientId'> & { recipientId?: number }): Promise<void> =>
    insertNotice({ recipientId, ...row }, event, manager);
  switch (event.type) {
    case 'CaseDecided': {
      const { caseId, outcome, reports } = event.data;
      const reportOutcome = outcome === 'dismissed' ? 'no_violation' : 'action_taken';
      for (const { reportId, noticeId, reporterId } of reports)
        await insert({
          noticeId,
          recipientId: reporterId,
          kind: 'report_decided',
          caseId,
          isAppealable: outcome === 'dismissed',
          report: { id: reportId, outcome: reportOutcome },
        });
      return;
    }
    case 'PersonWarned': {
      const { noticeId, caseId, rule } = event.data;
      return insert({ noticeId, kind: 'warning', caseId, rule, isAppealable: true, textSource: 'decision' });
    }
    case 'SanctionImposed': {
      const { noticeId, kind, rule, until, caseId, sanctionId, isAutomatic, inheritedFrom } = event.data;
      return insert({
        noticeId,
        kind: kind === 'banned' ? 'ban' : 'suspension',
        caseId,
        rule,
        sanctionId,
        startsAt,
        until,
        isAppealable: true,
        cause: isAutomatic ? findAutomaticCause(inheritedFrom, until) : undefined,
        textSource: isAutomatic ? undefined : 'decision',
      });
    }
    case 'SanctionConfirmed':
      if (event.data.isSolo)
        await manager.query(`UPDATE notices SET is_solo = true WHERE sanction_id = $1 AND kind = 'ban'`, [
          event.data.sanctionId,
        ]);
      return;
    case 'SanctionLifted': {
      const { noticeId, sanctionId, cause } = event.data;
      // A moderator who does not confirm a ban writes the reason for its user; other reasons are for moderators.
      const textSource = cause === 'not_confirmed' ? 'event' : undefined;
      return insert({ noticeId, kind: 'lifted', caseId: null, sanctionId, textSource });
    }
    case 'PersonFlagged': {
      const { noticeId, caseId, until, cause } = event.data;
      return insert({ noticeId, kind: 'care', caseId, cause, startsAt, until, isAppealable: true });
    }
    case 'FlagLifted':
      return insert({ noticeId: event.data.noticeId, kind: 'lifted', caseId: null });
    case 'AgeAsked': {
      const { noticeId, caseId } = event.data;
      return insert({ noticeId, kind: 'age_question', caseId, cause: 'age' });
    }
    case 'AppealDecided':
      return projectAppealDecision(event, manager);
    default: // the other events result in no notice
  }
};

const findAutomaticCause = (inheritedFrom: number | null, until: string | null): AutomaticCause => {
  if (inheritedFrom !== null) return 'inherited';
  // A stated age or a blocked image, which `toNotice` tells apart by the rule, leads to a suspension without an end.
  return until === null ? 'age' : 'reports';
};

/** Inserts the answer to the appellant, and writes the new end of a reduced sanction to its notice. */
const projectAppealDecision = async (
  event: Extract<StoredConductEvent, { type: 'AppealDecided' }>,
  manager: EntityManager,
): Promise<void> => {
  const { answerNoticeId, noticeId, caseId, sanctionId, until, isSolo, appealId } = event.data;
  if (sanctionId !== null && until !== null)
    // A ban has no end, so an appeal that sets one makes it a suspension.
    await manager.query(
      `UPDATE notices SET until = $2, kind = 'suspension' WHERE sanction_id = $1 AND kind IN ('suspension', 'ban')`,
      [sanctionId, until],
    );
  const [appeal] = await manager.query<{ appellant_id: string }[]>(
    'SELECT appellant_id FROM appeals WHERE id = $1',
    [appealId],
  );
  // Never undefined, because `AppealFiled` has inserted the row. The check is for TypeScript.
  if (!appeal) return;
  const row: NoticeRow = {
    noticeId: answerNoticeId,
    recipientId: Number(appeal.appellant_id),
    kind: 'appeal_decided',
    caseId,
    isSolo,
    appealedNoticeId: noticeId,
    textSource: 'event',
  };
  await insertNotice(row, event, manager);
};

/**
 * Inserts a notice with references to the event that has its text (`stream_id`, `event_id`), and to the reported chat:
 * its kind (`place`) and time (`place_at`). A decision of a case without reports has the place `account`.
 */
const insertNotice = async (
  row: NoticeRow,
  { streamId, eventId, occurredAt }: StoredConductEvent,
  manager: EntityManager,
): Promise<void> => {
  if (row.noticeId === null) return;
  await manager.query(
    `INSERT INTO notices (id, recipient_id, kind, created_at, rule, is_automatic, cause, starts_at, until, case_id,
       sanction_id, report_id, report_outcome, is_appealable, is_solo, appealed_notice_id, stream_id, event_id, place,
       place_at)
     SELECT $1::bigint, $2, $3, $4::timestamptz, $5, $6::text IS NOT NULL, $6, $7::timestamptz, $8::timestamptz,
       $9::bigint, $10::bigint, $11::bigint, $12, $13::boolean, $14::boolean, $15::bigint,
       CASE WHEN notice.text_source IS NOT NULL THEN $17 END,
       CASE notice.text_source WHEN 'event' THEN $18::uuid
         WHEN 'decision' THEN (SELECT decision_event_id FROM conduct_cases WHERE id = $9) END,
       CASE WHEN notice.text_source = 'decision' THEN COALESCE(reported.place, 'account') ELSE reported.place END,
       reported.chat_at
     -- One row, so that a notice without a report is inserted, too.
     FROM (SELECT $16::text AS text_source) AS notice LEFT JOIN LATERAL (
       -- The decided report or, for a notice with the text of a decision, the last report of the case.
       SELECT place, chat_at FROM reports
       WHERE reports.id = $11 OR (notice.text_source = 'decision' AND reports.case_id = $9)
       ORDER BY reports.id DESC LIMIT 1
     ) AS reported ON true`,
    [
      row.noticeId,
      row.recipientId,
      row.kind,
      occurredAt,
      row.rule ?? null,
      row.cause ?? null,
      row.startsAt ?? null,
      row.until ?? null,
      row.caseId,
      row.sanctionId ?? null,
      row.report?.id ?? null,
      row.report?.outcome ?? null,
      row.isAppealable ?? false,
      row.isSolo ?? false,
      row.appealedNoticeId ?? null,
      row.textSource ?? null,
      streamId,
      eventId,
    ],
  );
};
