import { buildSessionId, findShard, SHARD_COUNT } from './redis.keys';

describe('the shard of a session', () => {
  it('is the number before the dot in its id', () => {
    for (const unique of ['0b9a7a3e', 'another', '']) {
      const sessionId = buildSessionId(unique);
      expect(sessionId).toBe(`${findShard(sessionId)}.${unique}`);
    }
    expect(findShard('7.0b9a7a3e')).toBe(7);
    expect(findShard('63.0b9a7a3e')).toBe(63);
  });

  it('can be any shard for a new session', () => {
    const shards = new Set(
      Array.from({ length: 2_000 }, (_, index) => findShard(buildSessionId(`s${index}`))),
    );
    expect(shards.size).toBe(SHARD_COUNT);
  });

  it('is one of the existing shards, and always the same one, for any text that a client may send', () => {
    for (const text of [
      '64.x',
      '99.x',
      '-1.x',
      'xx.x',
      '.x',
      '1e.x',
      '',
      '123.x',
      '0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0001',
    ]) {
      const shard = findShard(text);
      expect(Number.isInteger(shard) && shard >= 0 && shard < SHARD_COUNT).toBe(true);
      expect(findShard(text)).toBe(shard);
    }
  });
});
