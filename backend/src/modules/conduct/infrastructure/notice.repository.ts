import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type { AppealOutcome, HouseRule, Notice, NoticeKind, ReportCategory } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import type { AutomaticCause } from '../projections/notice-rows.projection';

export interface NoticeRow {
  id: string;
  recipient_id: string;
  kind: NoticeKind;
  created_at: Date;
  seen_at: Date | null;
  rule: HouseRule | null;
  place: NonNullable<Notice['about']>['where'] | null;
  place_at: Date | null;
  is_automatic: boolean;
  cause: AutomaticCause | null;
  is_solo: boolean;
  starts_at: Date | null;
  until: Date | null;
  is_appealable: boolean;
  /** Null once erased, or if the notice has none. */
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
LEFT JOIN event_private AS texts ON texts.stream_id = notices.stream_id AND texts.event_id = notices.event_id
LEFT JOIN appeals ON appeals.notice_id = COALESCE(notices.appealed_notice_id, notices.id)
LEFT JOIN event_private AS answers
  ON answers.stream_id = 'conduct-' || appeals.user_id AND answers.event_id = appeals.decision_event_id
LEFT JOIN reports ON reports.id = notices.report_id`;

/** Queries of the read model `notices`, with their texts, and the marks of those that were seen. */
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

  findMany(noticeIds: readonly number[]): Promise<NoticeRow[]> {
    return this.dataSource.query(
      `${SELECT_NOTICES} WHERE notices.id = ANY($1::bigint[]) ORDER BY notices.id`,
      [noticeIds],
    );
  }

  /** Keeps the first time. */
  async markSeen(noticeId: number): Promise<void> {
    await this.dataSource.query(
      'INSERT INTO notices_seen (notice_id, seen_at) VALUES ($1, now()) ON CONFLICT (notice_id) DO NOTHING',
      [noticeId],
    );
  }
}
