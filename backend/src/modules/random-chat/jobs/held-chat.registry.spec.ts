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
    const first = registry.beginPass([1, 2], 0);
    expect([...first.starts]).toEqual([
      [1, ''],
      [2, ''],
    ]);
    registry.hold(entries[0]!, 10);
    expect([first.isWaiting('a'), first.isWaiting('b')]).toEqual([true, false]);
    first.markProcessed(entries);
    expect(first.end().get(1)).toBe('3-0');

    expect(registry.beginPass([1], 100).starts.get(1)).toBe('3-0');
    const due = registry.beginPass([1], 1_000);
    expect(due.starts.get(1)).toBe('');
    expect([due.isHeld('a'), due.isWaiting('a')]).toEqual([true, false]);
  });

  it('waits longer after each failure of the same entry, up to 30 s', () => {
    const registry = new HeldChatRegistry();
    let now = 0;
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      expect(registry.hold(createEntry('a', '1-0'), now)).toBe(attempt);
      const before = now;
      while (registry.beginPass([1], now).isWaiting('a')) now += 50;
      waits.push(now - before);
    }
    expect(waits.slice(0, 2)).toEqual([500, 500]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(registry.hold(createEntry('a', '2-0'), now)).toBe(1);
  });

  it('releases a chat whose entry another worker has written', () => {
    const registry = new HeldChatRegistry();
    registry.hold(createEntry('a', '1-0'), 0);
    const pass = registry.beginPass([1], 60_000);
    pass.markProcessed([createEntry('b', '5-0')]);
    pass.end();
    expect(registry.size).toBe(0);
    expect(registry.beginPass([1], 60_000).starts.get(1)).toBe('');
  });
});
