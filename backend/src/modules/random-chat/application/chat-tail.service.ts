import { Logger } from '@nestjs/common';
import type { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import { warnAbout } from '../../../platform/observability/warn-about.functions';
import type { ChatRecordsService } from './chat-records.service';
import type { LiveChat } from './live-chat.model';

/** An answer, as opposed to none. */
const isReplyOfRedis = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

/** Redis writes its append-only file to disk once a second, and is up to a second late with that. */
const ON_DISK_AFTER_MS = 3_000;

/**
 * With the end of its append-only file Redis may lose what was said last in a chat, its end too, after which it would go
 * on. Replicas that know the chat restore it: those that serve it, and, until Redis is known to have written it to disk,
 * those that have served it or appended to it until just now.
 */
export class ChatTailService {
  private readonly logger = new Logger(ChatTailService.name);
  private readonly retained = new Map<string, { chat: LiveChat; since: number }>();

  constructor(
    private readonly log: ChatLogRepository,
    private readonly records: ChatRecordsService,
  ) {}

  /** A chat that this replica does not serve, or not any more. */
  retain(chat: LiveChat): void {
    const known = this.retained.get(chat.sessionId)?.chat;
    if (chat.version === 0 || (known && known.version > chat.version)) return;
    this.retained.set(chat.sessionId, { chat, since: performance.now() });
  }

  /**
   * @param version how much of the chat Redis has.
   * @param served the chat, if it is served here.
   * @returns whether there was something to restore: what was read before is out of date.
   */
  async restoreLost(sessionId: string, version: number, served?: LiveChat): Promise<boolean> {
    const retained = this.retained.get(sessionId)?.chat;
    const known = retained && retained.version > (served?.version ?? 0) ? retained : served;
    if (!known || known.version <= version) return false;
    await this.repair(known);
    return true;
  }

  /**
   * Compares the versions of the chats that are served, and of those kept, with Redis, in one pipeline: when pub/sub
   * loses the last message of a chat, no later one reveals the gap.
   */
  async compare(served: readonly LiveChat[]): Promise<void> {
    const askedAt = performance.now();
    const retained = [...this.retained.values()];
    const chats = [...served, ...retained.map(({ chat }) => chat)];
    if (chats.length === 0) return;
    const before = chats.map(({ version }) => version);
    const versions = await this.log.versions(chats.map(({ sessionId }) => sessionId));
    const refusals: unknown[] = [];
    for (const [index, chat] of chats.entries()) {
      const version = versions[index] ?? 0;
      try {
        if (version < (before[index] ?? 0)) await this.repair(chat);
        else if (index < served.length && version > chat.version) await chat.catchUp();
      } catch (error) {
        // A full Redis, which refuses one chat, must not keep the others from being read; one that is away is left alone.
        if (!isReplyOfRedis(error)) throw error;
        refusals.push(error);
      }
    }
    if (refusals.length > 0) throw refusals[0];
    for (const one of retained) {
      const { sessionId } = one.chat;
      const isOnDisk = askedAt - one.since >= ON_DISK_AFTER_MS;
      if (isOnDisk && this.retained.get(sessionId) === one) this.retained.delete(sessionId);
    }
  }

  /** Should this fail, the records go when one of the two comes back: the stream says that the chat has ended. */
  async closeRecords(sessionId: string, [first = 0, second = 0]: readonly number[]): Promise<void> {
    try {
      await this.records.close(sessionId, [first, second]);
    } catch (error) {
      warnAbout(this.logger, 'The records of a lost chat were not closed', error);
    }
  }

  /** The records beside a stream have lost as much as the stream: once its end is restored, they are closed again. */
  private async repair(chat: LiveChat): Promise<void> {
    await chat.repair();
    const retained = this.retained.get(chat.sessionId);
    // It has to reach the disk again.
    if (retained?.chat === chat) retained.since = performance.now();
    if (chat.isEnded) await this.closeRecords(chat.sessionId, chat.userIds);
  }
}
