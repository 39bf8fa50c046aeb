import { Injectable, Logger } from '@nestjs/common';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { buildChatStreamId, parseOccurredAtMs, parseChatStreamId } from '../domain/random-chat.events';
import type { ChatHistoryEntity } from '../infrastructure/chat-history.entity';
import { ChatHistoryRepository } from '../infrastructure/chat-history.repository';
import { decodeEvent } from './chat-event.codec';

/** The users of a chat, its start and its end. */
export interface ChatPeriod {
  sessionId: string;
  userIds: readonly number[];
  startedAt: Date;
  /** Null until the chat ends. */
  endedAt: Date | null;
}

/**
 * Who was in a chat, and when it ended: from Redis while Redis has the chat, otherwise from PostgreSQL. If Redis has
 * lost a chat before its end was persisted, the time of its last persisted event counts as its end.
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
    const { first, last } = await this.log.readEdges(sessionId);
    const started = first && decodeEvent(first.text).event;
    if (!first || !last || started?.type !== 'ChatStarted') {
      const row = await this.history.findByStream(buildChatStreamId(sessionId));
      return row && this.toPeriod(row);
    }
    const ended = decodeEvent(last.text).event;
    if (ended?.type === 'ChatEnded' && ended.data.reason === 'aborted') return null;
    return {
      sessionId,
      userIds: started.data.userIds,
      startedAt: new Date(parseOccurredAtMs(first)),
      endedAt: ended?.type === 'ChatEnded' ? new Date(parseOccurredAtMs(last)) : null,
    };
  }

  /** @param historyId id of an entry of the chat history. */
  async findByHistoryId(historyId: number): Promise<ChatPeriod | null> {
    const row = await this.history.findById(historyId);
    return row && this.toPeriod(row);
  }

  /**
   * When each chat ended, in the order of the rows; null for a chat that is in progress, and also, while Redis is
   * unavailable, for one that may be.
   */
  async findEnds(rows: readonly ChatHistoryEntity[]): Promise<(Date | null)[]> {
    const withoutEnd = rows.filter(({ endedAt }) => !endedAt).map(({ streamId }) => streamId);
    const lastEventTimes = await this.findLastEventTimesOfLost(withoutEnd);
    return rows.map(({ endedAt, streamId }) => endedAt ?? lastEventTimes.get(streamId) ?? null);
  }

  private async findLastEventTimesOfLost(streamIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (streamIds.length === 0) return new Map();
    const versions = await this.log.readVersions(streamIds.map(parseChatStreamId)).catch((error: unknown) => {
      logWarning(this.logger, 'The ends of chats were not looked up', error);
      return [];
    });
    const lost = streamIds.filter((_, index) => versions[index] === 0);
    return lost.length === 0 ? new Map() : this.history.findLastEventTimes(lost);
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
