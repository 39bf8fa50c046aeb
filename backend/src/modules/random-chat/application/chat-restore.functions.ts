import { type ChatLogRepository, type ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';

/** Attempts to restore a stream. An attempt fails when another replica restores the same stream at the same time. */
const MAX_ATTEMPTS = 4;
/** Entries per script call, so that a long chat does not block Redis. */
const PAGE_SIZE = 500;

/**
 * - `restored`: the stream has every known entry and can be appended to.
 * - `restarted`: the same, but the stream was empty, so the records beside it are lost as well.
 * - `diverged`: the stream continues differently from the known entries.
 */
export type Restoration = 'restored' | 'restarted' | 'diverged';

/**
 * Appends the lost tail of a stream again (Redis lost the end of its append-only file, or everything). Every replica
 * that knows the chat may do so at the same time: finding its entries there counts as success.
 * @param entries the whole stream as this replica knows it.
 */
export const restoreTail = async (
  log: ChatLogRepository,
  sessionId: string,
  entries: readonly ChatLogEntry[],
): Promise<Restoration> => {
  let wasEmpty = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const stored = await log.read(sessionId);
    const isSame = entries.every((entry, index) => index >= stored.length || stored[index]?.id === entry.id);
    if (!isSame) return 'diverged';
    wasEmpty ||= stored.length === 0 && entries.length > 0;
    if (stored.length >= entries.length || (await appendMissing(log, sessionId, entries, stored.length)))
      return wasEmpty ? 'restarted' : 'restored';
  }
  return 'diverged';
};

/** @returns false when the stream did not end where a page began, because another replica appends to it. */
const appendMissing = async (
  log: ChatLogRepository,
  sessionId: string,
  entries: readonly ChatLogEntry[],
  from: number,
): Promise<boolean> => {
  for (let version = from; version < entries.length; version += PAGE_SIZE) {
    const end = { version, lastId: entries[version - 1]?.id ?? '' };
    if (!(await log.restore(sessionId, end, entries.slice(version, version + PAGE_SIZE)))) return false;
  }
  return true;
};
