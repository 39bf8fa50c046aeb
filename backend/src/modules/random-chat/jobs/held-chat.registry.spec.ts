// In each pass, the worker writes the entries of each shard's outbox to PostgreSQL. A chat is held while its next entry
// cannot be written. Until a retry is due, the chat waits: passes skip its entries.
import type { OutboxEntry } from '../../../platform/hot-log/outbox.repository';
import { HeldChatRegistry, type OutboxPass } from './held-chat.registry';

/** As a start of a pass: the shard is read from the head of its outbox, not after an outbox id. */
const HEAD = '';

const createEntry = (sessionId: string, outboxId: string, shard = 1): OutboxEntry => ({
  shard,
  outboxId,
  sessionId,
  entryId: outboxId,
  text: '',
});

describe('HeldChatRegistry', () => {
  describe('with a held chat and another chat in a shard', () => {
    const entriesOfHeldChat = [createEntry('held', '1-0'), createEntry('held', '2-0')];
    const entryOfOtherChat = createEntry('other', '3-0');
    let registry: HeldChatRegistry;
    let firstPass: OutboxPass;

    beforeEach(() => {
      registry = new HeldChatRegistry();
      firstPass = registry.beginPass([1, 2], 0);
      registry.hold(entriesOfHeldChat[0]!, 10); // the retry is due at 500 ms
      firstPass.markRead([...entriesOfHeldChat, entryOfOtherChat]);
    });

    it('reads every shard from its head in the first pass, in which only the held chat waits', () => {
      expect(Object.fromEntries(firstPass.starts)).toEqual({ 1: HEAD, 2: HEAD });
      expect(firstPass.isWaiting('held')).toBe(true);
      expect(firstPass.isWaiting('other')).toBe(false);
    });

    it('continues reading after the held entries until the retry is due', () => {
      const lastReadByShard = firstPass.end();
      expect(lastReadByShard.get(1)).toBe('3-0');
      expect(registry.beginPass([1], 100).starts.get(1)).toBe('3-0');
    });

    it('reads from the head again when the retry is due, and the held chat no longer waits', () => {
      firstPass.end();
      const duePass = registry.beginPass([1], 1_000);
      expect(duePass.starts.get(1)).toBe(HEAD);
      expect(duePass.isHeld('held')).toBe(true);
      expect(duePass.isWaiting('held')).toBe(false);
    });
  });

  it('increases the wait with the failures of an entry, up to 30 s, and starts over with another entry', () => {
    const registry = new HeldChatRegistry();
    let now = 0;
    const waitsMs: number[] = [];
    for (let failures = 1; failures <= 12; failures += 1) {
      expect(registry.hold(createEntry('a', '1-0'), now)).toBe(failures);
      const failedAt = now;
      while (registry.beginPass([1], now).isWaiting('a')) now += 50;
      waitsMs.push(now - failedAt);
    }
    // The delays are 500 ms and 1,000 ms, but retries are due at multiples of their delay. So the first retry is due at
    // 500 ms, and the second at 1,000 ms, after another 500 ms.
    expect(waitsMs.slice(0, 2)).toEqual([500, 500]);
    expect(waitsMs).toEqual([...waitsMs].sort((a, b) => a - b));
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(30_000);
    expect(registry.hold(createEntry('a', '2-0'), now)).toBe(1);
  });

  it('releases a chat whose entry another worker has written', () => {
    const registry = new HeldChatRegistry();
    registry.hold(createEntry('a', '1-0'), 0);
    const muchLater = 60_000;
    // The retry is due, so the pass reads the shard from its head. It does not find the entry.
    const pass = registry.beginPass([1], muchLater);
    pass.markRead([createEntry('b', '5-0')]);
    pass.end();
    expect(registry.size).toBe(0);
    expect(registry.beginPass([1], muchLater).starts.get(1)).toBe(HEAD);
  });
});
