import { Logger } from '@nestjs/common';
import type { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import type { ChatRecordsService } from './chat-records.service';
import type { LiveChat } from './live-chat.model';

/** Whether Redis replied with an error, as opposed to being unreachable. */
const isErrorReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

/** Redis syncs its append-only file once a second, and may be a second late. The third second is a margin. */
const ON_DISK_AFTER_MS = 3_000;

interface RetainedChat {
  chat: LiveChat;
  /** When the chat was retained or last restored, by `performance.now()`. */
  retainedAt: number;
}

/** A chat with its versions (numbers of events) on this replica and in Redis. */
interface ComparedChat {
  chat: LiveChat;
  isServed: boolean;
  /** The version on this replica before the read of `versionInRedis`. The chat may grow during this read. */
  versionBefore: number;
  versionInRedis: number;
}

/**
 * Restores the latest events (the tail) of chats after Redis has lost the end of its append-only file. Without its
 * `ChatEnded` event, for example, an ended chat would be open again. A replica knows the events of the chats that it
 * serves. It also retains the chats that it recently served or appended to, until Redis has certainly synced them to
 * disk.
 */
export class ChatTailService {
  private readonly logger = new Logger(ChatTailService.name);
  private readonly retained = new Map<string, RetainedChat>();

  constructor(
    private readonly log: ChatLogRepository,
    private readonly records: ChatRecordsService,
  ) {}

  /**
   * Retains a chat that this replica no longer serves, or to which it has appended without serving it. Of several
   * copies of a chat, the longest is retained.
   */
  retain(chat: LiveChat): void {
    if (chat.version === 0) return; // no events to restore
    const previousCopy = this.retained.get(chat.sessionId)?.chat;
    if (previousCopy && previousCopy.version > chat.version) return;
    this.retained.set(chat.sessionId, { chat, retainedAt: performance.now() });
  }

  /**
   * Restores the events that a chat has lost, if this replica knows them.
   * @param versionInRedis number of events of the chat in Redis.
   * @param servedCopy the chat, if this replica serves it.
   * @returns whether the stream has changed, so that earlier reads are out of date.
   * @throws errors of Redis.
   */
  async restoreLost(sessionId: string, versionInRedis: number, servedCopy?: LiveChat): Promise<boolean> {
    const retainedCopy = this.retained.get(sessionId)?.chat;
    const isRetainedLonger = (retainedCopy?.version ?? 0) > (servedCopy?.version ?? 0);
    const longestCopy = isRetainedLonger ? retainedCopy : servedCopy;
    if (!longestCopy || longestCopy.hasDiverged || longestCopy.version <= versionInRedis) return false;
    await this.repairAndCloseRecords(longestCopy);
    return true;
  }

  /**
   * Compares the versions of served and retained chats with Redis, in one pipeline. Restores events that Redis has
   * lost, and reads events that a served chat has missed: when Pub/Sub loses the last message of a chat, no later
   * message reveals the gap.
   * @throws the first error of Redis. An error reply for one chat is thrown after all others have been compared.
   */
  async compareVersions(servedChats: readonly LiveChat[]): Promise<void> {
    const startedAt = performance.now();
    const retainedChats = [...this.retained.values()];
    if (servedChats.length === 0 && retainedChats.length === 0) return;
    const refusals: unknown[] = [];
    for (const comparedChat of await this.readVersions(servedChats, retainedChats)) {
      try {
        await this.repairOrCatchUp(comparedChat);
      } catch (error) {
        // A full Redis may refuse to restore this chat; the others are still compared. If Redis is unreachable, stop.
        if (!isErrorReply(error)) throw error;
        refusals.push(error);
      }
    }
    if (refusals.length > 0) throw refusals[0];
    this.dropRetainedOnDisk(retainedChats, startedAt);
  }

  private async readVersions(
    servedChats: readonly LiveChat[],
    retainedChats: readonly RetainedChat[],
  ): Promise<ComparedChat[]> {
    const chats = [
      ...servedChats.map((chat) => ({ chat, isServed: true, versionBefore: chat.version })),
      ...retainedChats.map(({ chat }) => ({ chat, isServed: false, versionBefore: chat.version })),
    ];
    const versionsInRedis = await this.log.readVersions(chats.map(({ chat }) => chat.sessionId));
    return chats.map((chat, index) => ({ ...chat, versionInRedis: versionsInRedis[index] ?? 0 }));
  }

  private async repairOrCatchUp(comparedChat: ComparedChat): Promise<void> {
    const { chat, isServed, versionBefore, versionInRedis } = comparedChat;
    if (chat.hasDiverged) return;
    const hasRedisLostEvents = versionInRedis < versionBefore;
    if (hasRedisLostEvents) await this.repairAndCloseRecords(chat);
    else if (isServed && versionInRedis > chat.version) await chat.catchUp();
  }

  /**
   * Drops the retained chats whose events are certainly on disk.
   * @param comparedAt when the comparison started that found all their events in Redis.
   */
  private dropRetainedOnDisk(retainedChats: readonly RetainedChat[], comparedAt: number): void {
    for (const retainedChat of retainedChats) {
      const { sessionId } = retainedChat.chat;
      const isOnDisk = comparedAt - retainedChat.retainedAt >= ON_DISK_AFTER_MS;
      // `retain` may have replaced the copy in the meantime.
      if (isOnDisk && this.retained.get(sessionId) === retainedChat) this.retained.delete(sessionId);
    }
  }

  /**
   * Closes the records of an ended chat, which frees its users for other chats. A failure is only logged: the stream
   * contains the end, so the next reconnect of a user closes the records.
   * @param userIds the two users of the chat; empty for a chat without events.
   */
  async closeRecords(sessionId: string, userIds: readonly number[]): Promise<void> {
    const [firstUserId = 0, secondUserId = 0] = userIds; // 0 is the id of no user
    try {
      await this.records.close(sessionId, [firstUserId, secondUserId]);
    } catch (error) {
      logWarning(this.logger, 'The records of a lost chat were not closed', error);
    }
  }

  /** Restores a chat. If it has ended, also closes its records again, because Redis may have lost this change too. */
  private async repairAndCloseRecords(chat: LiveChat): Promise<void> {
    await chat.repair();
    const retainedChat = this.retained.get(chat.sessionId);
    // The restored events must reach the disk again before the copy is dropped.
    if (retainedChat?.chat === chat) retainedChat.retainedAt = performance.now();
    if (chat.isEnded) await this.closeRecords(chat.sessionId, chat.userIds);
  }
}
