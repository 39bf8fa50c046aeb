import { Logger } from '@nestjs/common';
import type { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import type { ChatRecordsService } from './chat-records.service';
import type { LiveChat } from './live-chat.model';

/** Whether Redis replied with an error, as opposed to being unreachable. */
const isErrorReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

/** Redis syncs its append-only file once a second, and may be a second late. The third second is a margin. */
const ON_DISK_AFTER_MS = 3_000;

/**
 * When Redis loses the end of its append-only file, a chat may lose its latest events (its tail). Without its
 * `ChatEnded` event, an ended chat would be open again. Replicas therefore restore lost events of the chats that they
 * serve, and of the chats that they recently served or appended to, until Redis has certainly synced them to disk.
 */
export class ChatTailService {
  private readonly logger = new Logger(ChatTailService.name);
  private readonly retained = new Map<string, { chat: LiveChat; retainedAt: number }>();

  constructor(
    private readonly log: ChatLogRepository,
    private readonly records: ChatRecordsService,
  ) {}

  /**
   * Retains a chat that this replica no longer serves, or to which it has appended without serving it. Keeps the
   * longest known copy.
   */
  retain(chat: LiveChat): void {
    const previous = this.retained.get(chat.sessionId)?.chat;
    // A chat of version 0 has no events to restore.
    if (chat.version === 0 || (previous && previous.version > chat.version)) return;
    this.retained.set(chat.sessionId, { chat, retainedAt: performance.now() });
  }

  /**
   * Restores the events that a chat has lost, if this replica knows them.
   * @param version version of the chat in Redis.
   * @param served the chat, if this replica serves it.
   * @returns whether the stream has changed, so that earlier reads are out of date.
   * @throws errors of Redis.
   */
  async restoreLost(sessionId: string, version: number, served?: LiveChat): Promise<boolean> {
    const retained = this.retained.get(sessionId)?.chat;
    const longest = retained && retained.version > (served?.version ?? 0) ? retained : served;
    if (!longest || longest.version <= version) return false;
    await this.repair(longest);
    return true;
  }

  /**
   * Compares the versions (numbers of events) of served and retained chats with Redis, in one pipeline. Restores events
   * that Redis has lost, and reads events that a served chat has missed: when Pub/Sub loses the last message of a chat,
   * no later message reveals the gap.
   * @throws the first error of Redis. An error reply for one chat is thrown after all others have been compared.
   */
  async compareVersions(served: readonly LiveChat[]): Promise<void> {
    const startedAt = performance.now();
    const retained = [...this.retained.values()];
    const chats = [...served, ...retained.map(({ chat }) => chat)];
    if (chats.length === 0) return;
    // A chat may grow during the read. Only its earlier version can show that Redis has lost entries.
    const versionsBefore = chats.map(({ version }) => version);
    const versionsInRedis = await this.log.readVersions(chats.map(({ sessionId }) => sessionId));
    const refusals: unknown[] = [];
    for (const [index, chat] of chats.entries()) {
      const versionInRedis = versionsInRedis[index] ?? 0;
      const isServed = index < served.length; // served chats come first
      try {
        if (versionInRedis < (versionsBefore[index] ?? 0)) await this.repair(chat);
        else if (isServed && versionInRedis > chat.version) await chat.catchUp();
      } catch (error) {
        // A full Redis may refuse to restore this chat; the others are still compared. If Redis is unreachable, stop.
        if (!isErrorReply(error)) throw error;
        refusals.push(error);
      }
    }
    if (refusals.length > 0) throw refusals[0];
    for (const retainedChat of retained) {
      const { sessionId } = retainedChat.chat;
      const isOnDisk = startedAt - retainedChat.retainedAt >= ON_DISK_AFTER_MS;
      // `retain` may have replaced the copy in the meantime.
      if (isOnDisk && this.retained.get(sessionId) === retainedChat) this.retained.delete(sessionId);
    }
  }

  /**
   * Closes the records of an ended chat, which frees its users for other chats. A chat without events has no users; 0
   * is the id of no user. A failure is only logged: the stream contains the end, so the next reconnect of a user closes
   * the records.
   */
  async closeRecords(sessionId: string, [first = 0, second = 0]: readonly number[]): Promise<void> {
    try {
      await this.records.close(sessionId, [first, second]);
    } catch (error) {
      logWarning(this.logger, 'The records of a lost chat were not closed', error);
    }
  }

  /** Restores a chat. If it has ended, also closes its records again, because Redis may have lost this change too. */
  private async repair(chat: LiveChat): Promise<void> {
    await chat.repair();
    const retained = this.retained.get(chat.sessionId);
    // The restored entries have to reach the disk again. A served chat needs no time, because it is compared anyway.
    if (retained?.chat === chat) retained.retainedAt = performance.now();
    if (chat.isEnded) await this.closeRecords(chat.sessionId, chat.userIds);
  }
}
