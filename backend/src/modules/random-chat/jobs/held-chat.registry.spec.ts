// The worker writes the entries of each shard's outbox to PostgreSQL. A chat is held while its next entry cannot be
// written. It waits (a pass skips its entries) until a retry is due. A pass reads each shard after an outbox id, or
// from the head of the outbox ('').
import type { OutboxEntry } from '../../../platform/hot-log/outbox.repository';
import { HeldChatRegistry } from './held-chat.registry';

const createEntry = (sessionId: string, outboxId: string, shard = 1): OutboxEntry => ({
  shard,
  outboxId,
  sessionId,
  entryId: outboxId,
  text: '',
});

describe('HeldChatRegistry', () => {
  it('continues reading after held entries, and starts at the head again when a held chat is due', () => {
    const registry = new HeldChatRegistry();
    const entries = [createEntry('a', '1-0'), createEntry('a', '2-0'), createEntry('b', '3-0')];
    const firstPass = registry.beginPass([1, 2], 0);
    expect([...firstPass.starts]).toEqual([
      [1, ''],
      [2, ''],
    ]);
    // Retries are due at multiples of their delay: the first one at 500 ms.
    registry.hold(entries[0]!, 10);
    expect([firstPass.isWaiting('a'), firstPass.isWaiting('b')]).toEqual([true, false]);
    firstPass.markProcessed(entries); // held, like those of the chat `a`, or written
    expect(firstPass.end().get(1)).toBe('3-0');

    expect(registry.beginPass([1], 100).starts.get(1)).toBe('3-0');
    const duePass = registry.beginPass([1], 1_000);
    expect(duePass.starts.get(1)).toBe('');
    expect([duePass.isHeld('a'), duePass.isWaiting('a')]).toEqual([true, false]);
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
    // The second delay is 1,000 ms. Retries are due at multiples of their delay, so the second retry is due at
    // 1,000 ms, which is 500 ms after the first.
    expect(waitsMs.slice(0, 2)).toEqual([500, 500]);
    expect(waitsMs).toEqual([...waitsMs].sort((a, b) => a - b));
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(30_000);
    expect(registry.hold(createEntry('a', '2-0'), now)).toBe(1);
  });

  it('releases a chat whose entry another worker has written', () => {
    const registry = new HeldChatRegistry();
    registry.hold(createEntry('a', '1-0'), 0);
    // The chat is due, so the pass reads the shard from its head, and does not find the entry.
    const pass = registry.beginPass([1], 60_000);
    pass.markProcessed([createEntry('b', '5-0')]);
    pass.end();
    expect(registry.size).toBe(0);
    expect(registry.beginPass([1], 60_000).starts.get(1)).toBe('');
  });
});
