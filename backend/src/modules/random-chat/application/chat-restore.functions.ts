import { type ChatLogRepository, type ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';

/** Attempts to restore a stream. An attempt fails when another replica restores the same stream at the same time. */
const MAX_ATTEMPTS = 4;
/** Entries per script call, so that a long chat does not block Redis. */
const PAGE_SIZE = 500;

/**
 * - `restored`: the stream has every known entry and can be appended to.
 * - `restarted`: the stream has every known entry again, but it was empty. So the other keys of the chat, such as the
 *   records of its users, are lost as well, and the chat cannot continue.
 * - `diverged`: the stream contains other entries than the known ones, or no attempt to restore it succeeded.
 */
export type Restoration = 'restored' | 'restarted' | 'diverged';

/**
 * Appends the lost tail of a stream again, after Redis lost the end of its append-only file, or everything. Several
 * replicas that know the chat may do so at the same time: a replica that finds its entries already restored succeeds.
 * @param known the whole stream as this replica knows it.
 * @throws errors of Redis.
 */
export const restoreTail = async (
  log: ChatLogRepository,
  sessionId: string,
  known: readonly ChatLogEntry[],
): Promise<Restoration> => {
  let wasEmpty = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const stored = await log.read(sessionId);
    if (!haveSameStart(known, stored)) return 'diverged';
    // A later attempt may find entries that another replica has restored, but the other keys are lost nevertheless.
    if (stored.length === 0 && known.length > 0) wasEmpty = true;
    const isComplete = await appendMissing(log, sessionId, known, stored.length);
    if (isComplete) return wasEmpty ? 'restarted' : 'restored';
  }
  return 'diverged';
};

/** Whether two lists have the same entries up to the end of the shorter one. */
const haveSameStart = (known: readonly ChatLogEntry[], stored: readonly ChatLogEntry[]): boolean =>
  known.slice(0, stored.length).every(({ id }, index) => id === stored[index]?.id);

/**
 * Appends the known entries after version `storedVersion`, in pages; none if the stream has them all.
 * @returns false when another replica has appended in the meantime, so that the next page no longer fits the stream.
 */
const appendMissing = async (
  log: ChatLogRepository,
  sessionId: string,
  known: readonly ChatLogEntry[],
  storedVersion: number,
): Promise<boolean> => {
  for (let version = storedVersion; version < known.length; version += PAGE_SIZE) {
    const expectedEnd = { version, lastId: known[version - 1]?.id ?? '' };
    const page = known.slice(version, version + PAGE_SIZE);
    if (!(await log.restore(sessionId, expectedEnd, page))) return false;
  }
  return true;
};
