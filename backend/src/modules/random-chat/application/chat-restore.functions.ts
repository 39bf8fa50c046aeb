import { type ChatLogRepository, type ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';

/** Restorers that are faster than this one and then lose what they restored again. */
const ATTEMPTS = 4;
/** Entries of one call: a chat of which nothing was left may be long. */
const PAGE_SIZE = 500;

/**
 * - `restored`: the stream has all that was known of it, and goes on.
 * - `begun_again`: the same, but nothing had been left of it, nor of the records beside it.
 * - `diverged`: it goes on differently.
 */
export type Restoration = 'restored' | 'begun_again' | 'diverged';

/**
 * Appends the tail of a stream again that Redis has lost (the end of its append-only file, or all it had). Every replica
 * that knows the chat may do so at once: one that finds its tail there has succeeded.
 * @param entries the whole stream as this replica knows it.
 */
export const restoreTail = async (
  log: ChatLogRepository,
  sessionId: string,
  entries: readonly ChatLogEntry[],
): Promise<Restoration> => {
  let wasEmpty = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const stored = await log.read(sessionId);
    const isSame = entries.every((entry, index) => index >= stored.length || stored[index]?.id === entry.id);
    if (!isSame) return 'diverged';
    wasEmpty ||= stored.length === 0 && entries.length > 0;
    if (stored.length >= entries.length || (await append(log, sessionId, entries, stored.length)))
      return wasEmpty ? 'begun_again' : 'restored';
  }
  return 'diverged';
};

/** @returns false when the stream did not end where a page began: another replica appends to it. */
const append = async (
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
