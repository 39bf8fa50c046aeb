import { parseLsn, ReplicaLagModel } from './replica-lag.model';

describe('ReplicaLagModel', () => {
  it('knows no lag before the replica has reached a position of the primary', () => {
    const lag = new ReplicaLagModel();
    expect(lag.computeLag(0)).toBe(Infinity);
    lag.recordPrimary(0, 100n);
    lag.recordReplica(99n);
    expect(lag.computeLag(10)).toBe(Infinity);
    lag.recordReplica(100n);
    expect(lag.computeLag(10)).toBe(10);
  });

  it('counts from the last moment whose position the replica has reached', () => {
    const lag = new ReplicaLagModel();
    for (const [at, position] of [
      [1_000, 100n],
      [2_000, 200n],
      [3_000, 300n],
    ] as const)
      lag.recordPrimary(at, position);
    lag.recordReplica(250n);
    expect(lag.computeLag(3_500)).toBe(1_500);
    expect([lag.hasReached(250n), lag.hasReached(251n)]).toEqual([true, false]);
    lag.recordReplica(300n);
    expect(lag.computeLag(3_500)).toBe(500);
  });

  it('does not grow while nothing is written', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(1_000, 100n);
    lag.recordReplica(100n);
    lag.recordPrimary(60_000, 100n);
    lag.recordReplica(100n);
    expect(lag.computeLag(60_100)).toBe(100);
  });

  it('grows while the replica stands still, also for longer than positions are kept', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(0, 1n);
    lag.recordReplica(1n);
    for (let second = 1; second <= 200; second += 1) {
      lag.recordPrimary(second * 1_000, BigInt(second + 1));
      lag.recordReplica(1n);
    }
    expect(lag.computeLag(200_000)).toBe(200_000);
  });

  it('knows nothing after a reset until a newer position is reached', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(0, 100n);
    lag.recordReplica(100n);
    lag.reset();
    expect([lag.computeLag(1), lag.hasReached(1n)]).toEqual([Infinity, false]);
    lag.recordPrimary(5, 110n);
    lag.recordReplica(110n);
    expect(lag.computeLag(6)).toBe(1);
  });
});

describe('parseLsn', () => {
  it('orders positions as PostgreSQL does', () => {
    expect(parseLsn('0/0')).toBe(0n);
    expect(parseLsn('16/B374D848')).toBe(0x16b374d848n);
    expect(parseLsn('1/0') > parseLsn('0/FFFFFFFF')).toBe(true);
  });
});
