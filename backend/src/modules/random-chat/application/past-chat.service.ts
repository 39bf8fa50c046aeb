import { Injectable, Logger } from '@nestjs/common';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { buildChatStreamId, parseOccurredAtMs, parseChatStreamId } from '../domain/random-chat.events';
import type { ChatHistoryEntity } from '../infrastructure/chat-history.entity';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';
import { decodeEvent } from './chat-event.codec';

/** Which users were in a chat, and when. */
export interface ChatPeriod {
  sessionId: string;
  userIds: readonly number[];
  startedAt: Date;
  /** Null until the chat ends. */
  endedAt: Date | null;
}

/**
 * Finds who was in a chat, and when it ended; also for a chat in progress. Reads from Redis while Redis has the chat,
 * otherwise from PostgreSQL. If Redis has lost a chat before its end was persisted, the time of its last persisted
 * event counts as its end.
 */
@Injectable()
export class PastChatService {
  private readonly logger = new Logger(PastChatService.name);

  constructor(
    private readonly log: ChatLogRepository,
    private readonly history: ChatHistoryRepository,
  ) {}

  /** @returns null for a chat that does not exist, or that was aborted before a user saw it. */
  async find(sessionId: string): Promise<ChatPeriod | null> {
    const { first, last } = await this.log.readFirstAndLast(sessionId);
    const firstEvent = first && decodeEvent(first.text).event;
    // A chat that Redis has lost has no event there, or only an end that was appended afterwards.
    if (!first || !last || firstEvent?.type !== 'ChatStarted') return this.findPersisted(sessionId);
    const lastEvent = decodeEvent(last.text).event;
    const end = lastEvent?.type === 'ChatEnded' ? lastEvent : undefined;
    if (end?.data.reason === 'aborted') return null;
    return {
      sessionId,
      userIds: firstEvent.data.userIds,
      startedAt: new Date(parseOccurredAtMs(first)),
      endedAt: end ? new Date(parseOccurredAtMs(last)) : null,
    };
  }

  /** @param historyId id of an entry of the chat history. */
  async findByHistoryId(historyId: number): Promise<ChatPeriod | null> {
    const row = await this.history.findById(historyId);
    return row && this.toPeriod(row);
  }

  /**
   * @returns when each chat ended, in the order of the rows; null for a chat in progress. While Redis is unavailable,
   * also null for a chat that Redis has lost, because its row looks like that of a chat in progress.
   */
  async findEnds(rows: readonly ChatHistoryEntity[]): Promise<(Date | null)[]> {
    const openStreamIds = rows.filter(({ endedAt }) => !endedAt).map(({ streamId }) => streamId);
    const endsOfLost = await this.findEndsOfLost(openStreamIds);
    return rows.map(({ endedAt, streamId }) => endedAt ?? endsOfLost.get(streamId) ?? null);
  }

  /** The history has no row of an aborted chat. */
  private async findPersisted(sessionId: string): Promise<ChatPeriod | null> {
    const row = await this.history.findByStream(buildChatStreamId(sessionId));
    return row && this.toPeriod(row);
  }

  /** @returns for each of the streams that Redis has lost, by stream id, the time of its last persisted event. */
  private async findEndsOfLost(streamIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (streamIds.length === 0) return new Map();
    const versions = await this.log.readVersions(streamIds.map(parseChatStreamId)).catch((error: unknown) => {
      logWarning(this.logger, 'The ends of chats were not looked up', error);
      return []; // then no stream counts as lost
    });
    // A stream without entries has the version 0.
    const lostStreamIds = streamIds.filter((_, index) => versions[index] === 0);
    return lostStreamIds.length === 0 ? new Map() : this.history.findLastEventTimes(lostStreamIds);
  }

  private async toPeriod(row: ChatHistoryEntity): Promise<ChatPeriod> {
    const { streamId, user1Id, user2Id, createdAt } = row;
    const [endedAt = null] = await this.findEnds([row]);
    return {
      sessionId: parseChatStreamId(streamId),
      userIds: [user1Id, user2Id],
      startedAt: createdAt,
      endedAt,
    };
  }
}
