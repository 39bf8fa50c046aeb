import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONDUCT_STREAM_PREFIX } from '../../standings/domain/standing.events';
import type { AgeStatement } from '../application/age-findings.service';

interface RawFinding {
  /** The event that ended the chat. */
  event_id: string;
  session_id: string;
  user_id: string;
  /** The edited message that states the age; null if a new message states it. */
  message_id: string | null;
  user_ids: number[];
}

/**
 * Only chats whose end was recorded within this period are searched. Findings are normally raised within seconds, when
 * the chat ends; the search finds those for which that failed.
 */
const SEARCHED_DAYS = 7;

/** Finds random chats that ended because a user stated an age under 18: their `ChatEnded` contains a finding. */
@Injectable()
export class FindingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Findings that have not been raised: the conduct stream of their user has no `FindingRaised` for them. Oldest first,
   * without those of erased users.
   * @returns the statements for `AgeFindingsService.raise`.
   */
  async findUnraised(limit: number): Promise<AgeStatement[]> {
    const rows = await this.dataSource.query<RawFinding[]>(
      `SELECT ended.event_id, substr(ended.stream_id, length('chat-') + 1) AS session_id,
              ended.data->'finding'->>'userId' AS user_id,
              ended.data->'finding'->>'messageId' AS message_id, started.data->'userIds' AS user_ids
       FROM events ended
       JOIN events started ON started.stream_id = ended.stream_id AND started.stream_position = 1
       JOIN users ON users.id = (ended.data->'finding'->>'userId')::bigint
       WHERE ended.type = 'ChatEnded' AND ended.data ? 'finding'
         AND ended.recorded_at > now() - make_interval(days => $1)
         AND NOT EXISTS (
           SELECT FROM events raised
           WHERE raised.stream_id = $2 || (ended.data->'finding'->>'userId') AND raised.type = 'FindingRaised'
             AND raised.data->>'sourceEventId' = ended.event_id::text)
       ORDER BY ended.recorded_at
       LIMIT $3`,
      [SEARCHED_DAYS, CONDUCT_STREAM_PREFIX, limit],
    );
    return rows.map((row) => ({
      sessionId: row.session_id,
      userIds: row.user_ids,
      userId: Number(row.user_id),
      messageId: row.message_id,
      endEventId: row.event_id,
    }));
  }
}
