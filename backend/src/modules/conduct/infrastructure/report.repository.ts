import { Injectable } from '@nestjs/common';
import { limits } from '@thaw/contract/limits';
import type { Report, ReportCategory } from '@thaw/contract/safety';
import { DataSource } from 'typeorm';
import { BlockListService } from '../../blocks/application/block-list.service';

interface RawReport {
  id: string;
  category: ReportCategory;
  created_at: Date;
  decided_at: Date | null;
  outcome: Report['outcome'];
  reporter_has_blocked: boolean;
}

/** The chat of a report: a random chat by its session, or the private chat of reporter and reported user. */
export type ReportedChat = { where: 'random_chat'; sessionId: string } | { where: 'private_chat' };

/** `user_id` is the reported user. */
const SELECT_REPORTS = `
SELECT id, category, created_at, decided_at, outcome,
       ${BlockListService.buildHasBlockedSql('reports.reporter_id', 'reports.user_id')} AS reporter_has_blocked
FROM reports`;

const toReport = (row: RawReport): Report => ({
  id: Number(row.id),
  category: row.category,
  createdAt: row.created_at.toISOString(),
  state: row.decided_at ? 'decided' : 'received',
  outcome: row.outcome,
  blocked: row.reporter_has_blocked,
});

/** The read model `reports`, as reporters see it. Only the projection writes it. */
@Injectable()
export class ReportRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The report with this id; null if there is none. */
  async find(id: number): Promise<Report | null> {
    const [row] = await this.dataSource.query<RawReport[]>(`${SELECT_REPORTS} WHERE id = $1`, [id]);
    return row ? toReport(row) : null;
  }

  /** The reporter's reports, newest first, at most `reportsListMaxEntries`. */
  async findByReporter(reporterId: number): Promise<Report[]> {
    const rows = await this.dataSource.query<RawReport[]>(
      `${SELECT_REPORTS} WHERE reporter_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
      [reporterId, limits.reportsListMaxEntries],
    );
    return rows.map(toReport);
  }

  /**
   * The id of the reporter's report about this user in this chat; null if there is none. Decided reports about a
   * private chat do not count, because a private chat continues and can be reported again after the decision.
   */
  async findExistingId(
    reporterId: number,
    reportedUserId: number,
    chat: ReportedChat,
  ): Promise<number | null> {
    const chatFilter =
      chat.where === 'random_chat'
        ? { condition: 'session_id = $4', parameters: [chat.sessionId] }
        : { condition: 'decided_at IS NULL', parameters: [] };
    const [row] = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM reports WHERE reporter_id = $1 AND user_id = $2 AND place = $3
         AND ${chatFilter.condition}
       ORDER BY id DESC LIMIT 1`,
      [reporterId, reportedUserId, chat.where, ...chatFilter.parameters],
    );
    return row ? Number(row.id) : null;
  }

  /** How many of the reporter's reports are decided, and how many of these were dismissed. */
  async countDecided(reporterId: number): Promise<{ decided: number; dismissed: number }> {
    const [row] = await this.dataSource.query<{ decided: number; dismissed: number }[]>(
      `SELECT count(*)::int AS decided, (count(*) FILTER (WHERE outcome = 'no_violation'))::int AS dismissed
       FROM reports WHERE reporter_id = $1 AND decided_at IS NOT NULL`,
      [reporterId],
    );
    return row ?? { decided: 0, dismissed: 0 };
  }
}
