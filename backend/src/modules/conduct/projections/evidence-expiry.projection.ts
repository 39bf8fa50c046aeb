import type { CaseKind } from '@thaw/contract/moderation';
import type { EntityManager } from 'typeorm';
import { PersonalDataRepository } from '../../../platform/event-store/personal-data.repository';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import { buildConductStreamId } from '../../standings/domain/standing.events';
import type { ConductEvent } from '../domain/conduct.events';
import { computeExpiryTimes, type RetentionPolicy } from '../domain/evidence-retention.rules';

/**
 * Events that change when the personal data in a user's conduct stream expires. `ReportFiled` and `FindingRaised` are
 * not among them: they belong to an open case, whose data does not expire.
 */
const expiryChangingTypes: readonly ConductEvent['type'][] = [
  'CaseOpened',
  'CaseNoted',
  'CaseEscalated',
  'CaseDecided',
  'AppealFiled',
  'AppealDecided',
  'SanctionImposed',
  'SanctionLifted',
  'HoldPlaced',
  'HoldLifted',
];

/** A random chat has the stream `chat-<session id>`. */
const CHAT_STREAM_PREFIX = 'chat-';

/**
 * Sets when the personal data in conduct streams expires: evidence, the words of reporters and appellants, the facts of
 * decisions, notes, and answers to appeals. Each time, the projection computes the expiry of all personal data of a
 * stream from all its events, so that the order in which events are projected does not matter.
 */
export const createEvidenceExpiryProjection = (policy: RetentionPolicy): Projection => ({
  name: 'evidence_expiry',
  // Owns no table: it only sets when personal data, which is stored beside the log, expires.
  tables: [],
  isRepeatable: true,
  handles: [...expiryChangingTypes, 'ChatEnded'],
  concerns: (event) => !opensNewCase(event),
  async apply(events, manager, isRebuild) {
    const changes = events.filter(({ type }) => type !== 'ChatEnded');
    const streamIds = new Set(changes.map(({ streamId }) => streamId));
    // A rebuild computes every conduct stream anyway, with the ends of chats that are stored by then.
    if (!isRebuild) {
      const endedChats = events.filter(({ type }) => type === 'ChatEnded').map(({ streamId }) => streamId);
      const reportedUserIds = await findReportedUserIds(endedChats, manager);
      for (const userId of reportedUserIds) streamIds.add(buildConductStreamId(userId));
    }
    if (streamIds.size === 0) return; // most chats end without a report
    await lockStreams([...streamIds], manager);
    for (const streamId of streamIds) {
      const conductEvents = await readEvents(streamId, manager);
      const chatEnds = await findChatEnds(conductEvents, manager);
      const expiryTimes = computeExpiryTimes(conductEvents, chatEnds, policy);
      await PersonalDataRepository.expireEventsAt(streamId, expiryTimes, manager);
    }
  },
});

/**
 * Whether the event opens a new case, which has no data yet. With the kind `appeal`, it opens a dismissed case again,
 * whose data is then kept for longer.
 */
const opensNewCase = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): boolean =>
  type === 'CaseOpened' && (data as { kind?: CaseKind }).kind !== 'appeal';

/**
 * Delays appends to the streams until the end of the transaction. Otherwise an expiry that was computed from fewer
 * events could overwrite that of a concurrent append.
 */
const lockStreams = async (streamIds: readonly string[], manager: EntityManager): Promise<void> => {
  await manager.query(
    'SELECT FROM event_streams WHERE stream_id = ANY($1) ORDER BY stream_id FOR NO KEY UPDATE',
    [streamIds],
  );
};

/** The users who were reported from one of these chats. */
const findReportedUserIds = async (
  chatStreamIds: readonly string[],
  manager: EntityManager,
): Promise<number[]> => {
  if (chatStreamIds.length === 0) return [];
  const rows = await manager.query<{ user_id: string }[]>(
    'SELECT DISTINCT user_id FROM reports WHERE session_id = ANY($1)',
    [chatStreamIds.map(parseSessionId)],
  );
  return rows.map((row) => Number(row.user_id));
};

/** The events of a stream without their personal data. */
const readEvents = async (streamId: string, manager: EntityManager): Promise<ConductEvent[]> => {
  const rows = await manager.query<{ event_id: string; type: string; occurred_at: Date; data: object }[]>(
    'SELECT event_id, type, occurred_at, data FROM events WHERE stream_id = $1 ORDER BY stream_position',
    [streamId],
  );
  return rows.map(
    ({ event_id: eventId, type, occurred_at: occurredAt, data }) =>
      ({ eventId, type, occurredAt, data }) as ConductEvent,
  );
};

/** When the random chats of the reports ended, by session id. Chats whose end is not stored are absent. */
const findChatEnds = async (
  events: readonly ConductEvent[],
  manager: EntityManager,
): Promise<ReadonlyMap<string, Date>> => {
  const sessionIds = events.flatMap(({ type, data }) =>
    type === 'ReportFiled' && data.context.where === 'random_chat' ? data.context.sessionId : [],
  );
  if (sessionIds.length === 0) return new Map();
  const rows = await manager.query<{ stream_id: string; ended_at: Date }[]>(
    `SELECT stream_id, max(occurred_at) AS ended_at FROM events
     WHERE stream_id = ANY($1) AND type = 'ChatEnded' GROUP BY stream_id`,
    [sessionIds.map((sessionId) => `${CHAT_STREAM_PREFIX}${sessionId}`)],
  );
  return new Map(rows.map((row) => [parseSessionId(row.stream_id), row.ended_at]));
};

const parseSessionId = (chatStreamId: string): string => chatStreamId.slice(CHAT_STREAM_PREFIX.length);
