import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type { AppealOutcome, HouseRule, Notice, NoticeKind, ReportCategory } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import type { AutomaticCause } from '../projections/notice-rows.projection';

/** A result row of `SELECT_NOTICES`. Its ids are strings, because the driver returns a bigint as text. */
export interface NoticeRow {
  id: string;
  recipient_id: string;
  kind: NoticeKind;
  created_at: Date;
  seen_at: Date | null;
  rule: HouseRule | null;
  /** Where the conduct took place, such as in a random chat. */
  place: NonNullable<Notice['about']>['where'] | null;
  place_at: Date | null;
  is_automatic: boolean;
  /** Why an automatic rule applied; null for a decision of a moderator. */
  cause: AutomaticCause | null;
  /** Whether the only moderator reviewed their own decision. */
  is_solo: boolean;
  starts_at: Date | null;
  until: Date | null;
  is_appealable: boolean;
  /** The facts of a decision, or the reason of another event. Null if the notice has neither, or they were erased. */
  facts: string | null;
  appeal_id: string | null;
  appeal_outcome: AppealOutcome | null;
  appeal_answer: string | null;
  report_id: string | null;
  report_outcome: NonNullable<Notice['report']>['outcome'] | null;
  report_category: ReportCategory | null;
}

const SELECT_NOTICES = `
SELECT notices.id, notices.recipient_id, notices.kind, notices.created_at, seen.seen_at, notices.rule, notices.place,
  notices.place_at, notices.is_automatic, notices.cause, notices.is_solo, notices.starts_at, notices.until,
  notices.is_appealable, COALESCE(texts.data->>'facts', texts.data->>'reason') AS facts,
  appeals.id AS appeal_id, appeals.outcome AS appeal_outcome, answers.data->>'answer' AS appeal_answer,
  notices.report_id, notices.report_outcome, reports.category AS report_category
FROM notices
LEFT JOIN notices_seen AS seen ON seen.notice_id = notices.id
-- Texts are personal fields of events, which event_private stores.
LEFT JOIN event_private AS texts ON texts.stream_id = notices.stream_id AND texts.event_id = notices.event_id
-- The notice of an appeal's decision shows the appeal, which was filed against an earlier notice.
LEFT JOIN appeals ON appeals.notice_id = COALESCE(notices.appealed_notice_id, notices.id)
LEFT JOIN event_private AS answers
  ON answers.stream_id = 'conduct-' || appeals.user_id AND answers.event_id = appeals.decision_event_id
LEFT JOIN reports ON reports.id = notices.report_id`;

/** Reads notices with their texts, appeals and reports, and records when a notice was first seen. */
@Injectable()
export class NoticeRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  findByRecipient(recipientId: number): Promise<NoticeRow[]> {
    return this.dataSource.query(
      `${SELECT_NOTICES} WHERE notices.recipient_id = $1 ORDER BY notices.id DESC LIMIT $2`,
      [recipientId, limits.noticesListMaxEntries],
    );
  }

  /** Oldest first. */
  findMany(noticeIds: readonly number[]): Promise<NoticeRow[]> {
    return this.dataSource.query(
      `${SELECT_NOTICES} WHERE notices.id = ANY($1::bigint[]) ORDER BY notices.id`,
      [noticeIds],
    );
  }

  /** Has no effect on a notice that was seen before. */
  async markSeen(noticeId: number): Promise<void> {
    await this.dataSource.query(
      'INSERT INTO notices_seen (notice_id, seen_at) VALUES ($1, now()) ON CONFLICT (notice_id) DO NOTHING',
      [noticeId],
    );
  }
}
