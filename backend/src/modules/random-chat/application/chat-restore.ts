import { type ChatLog, type ChatLogEntry } from '../../../platform/hot-log/chat-log';

/** Restorers that are faster than this one and then lose what they restored again. */
const ATTEMPTS = 4;

/**
 * Appends the tail of a stream again that Redis has lost (the end of its append-only file). Every replica that serves
 * the chat may do so at once: one that finds its tail there has succeeded.
 * @param entries the whole stream as this replica knows it.
 * @returns false when the stream cannot become what it was: it goes on differently, or nothing is left of it.
 */
export const restoreTail = async (
  log: ChatLog,
  sessionId: string,
  entries: readonly ChatLogEntry[],
): Promise<boolean> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const stored = await log.read(sessionId);
    const isSame = entries.every((entry, index) => index >= stored.length || stored[index]?.id === entry.id);
    const last = stored.at(-1);
    if (!isSame || !last) return false;
    if (stored.length >= entries.length) return true;
    const end = { version: stored.length, lastId: last.id };
    if (await log.restore(sessionId, end, entries.slice(stored.length))) return true;
  }
  return false;
};
