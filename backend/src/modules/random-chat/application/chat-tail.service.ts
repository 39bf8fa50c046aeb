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

  /** Retains the events of a chat that this replica does not serve, or no longer serves. */
  retain(chat: LiveChat): void {
    const known = this.retained.get(chat.sessionId)?.chat;
    if (chat.version === 0 || (known && known.version > chat.version)) return;
    this.retained.set(chat.sessionId, { chat, retainedAt: performance.now() });
  }

  /**
   * Restores the events that a chat has lost, if this replica knows them.
   * @param version version of the chat in Redis.
   * @param served the chat, if this replica serves it.
   * @returns whether entries were restored, so that earlier reads are out of date.
   */
  async restoreLost(sessionId: string, version: number, served?: LiveChat): Promise<boolean> {
    const retained = this.retained.get(sessionId)?.chat;
    const known = retained && retained.version > (served?.version ?? 0) ? retained : served;
    if (!known || known.version <= version) return false;
    await this.repair(known);
    return true;
  }

  /**
   * Compares the versions of served and retained chats with Redis, in one pipeline: when pub/sub loses the last message
   * of a chat, no later message reveals the gap.
   */
  async compareVersions(served: readonly LiveChat[]): Promise<void> {
    const startedAt = performance.now();
    const retained = [...this.retained.values()];
    const chats = [...served, ...retained.map(({ chat }) => chat)];
    if (chats.length === 0) return;
    const versionsBefore = chats.map(({ version }) => version);
    const versions = await this.log.readVersions(chats.map(({ sessionId }) => sessionId));
    const refusals: unknown[] = [];
    for (const [index, chat] of chats.entries()) {
      const version = versions[index] ?? 0;
      try {
        if (version < (versionsBefore[index] ?? 0)) await this.repair(chat);
        else if (index < served.length && version > chat.version) await chat.catchUp();
      } catch (error) {
        // A full Redis refuses single chats: continue with the others. If Redis is unreachable, stop.
        if (!isErrorReply(error)) throw error;
        refusals.push(error);
      }
    }
    if (refusals.length > 0) throw refusals[0];
    for (const retainedChat of retained) {
      const { sessionId } = retainedChat.chat;
      const isOnDisk = startedAt - retainedChat.retainedAt >= ON_DISK_AFTER_MS;
      if (isOnDisk && this.retained.get(sessionId) === retainedChat) this.retained.delete(sessionId);
    }
  }

  /** A failure is only logged: the stream contains the end, so the next reconnect of a user closes the records. */
  async closeRecords(sessionId: string, [first = 0, second = 0]: readonly number[]): Promise<void> {
    try {
      await this.records.close(sessionId, [first, second]);
    } catch (error) {
      logWarning(this.logger, 'The records of a lost chat were not closed', error);
    }
  }

  /** Restores a chat. If it has ended, also closes its records again: Redis has lost that as well. */
  private async repair(chat: LiveChat): Promise<void> {
    await chat.repair();
    const retained = this.retained.get(chat.sessionId);
    // The restored entries have to reach the disk again.
    if (retained?.chat === chat) retained.retainedAt = performance.now();
    if (chat.isEnded) await this.closeRecords(chat.sessionId, chat.userIds);
  }
}
