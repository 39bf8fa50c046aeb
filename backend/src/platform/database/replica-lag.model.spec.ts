import { parseLsn, ReplicaLagModel } from './replica-lag.model';

// Positions in PostgreSQL's write-ahead log are `bigint`. Times are in milliseconds.

describe('ReplicaLagModel', () => {
  it('returns an infinite lag until the replica has reached a recorded position of the primary', () => {
    const lag = new ReplicaLagModel();
    expect(lag.computeLagMs(0)).toBe(Infinity);
    lag.recordPrimary(0, 100n);
    lag.recordReplica(99n);
    expect(lag.computeLagMs(10)).toBe(Infinity);
    lag.recordReplica(100n);
    expect(lag.computeLagMs(10)).toBe(10);
  });

  it('measures the lag from the latest moment whose position the replica has reached', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(1_000, 100n);
    lag.recordPrimary(2_000, 200n);
    lag.recordPrimary(3_000, 300n);
    lag.recordReplica(250n);
    expect(lag.computeLagMs(3_500)).toBe(1_500);
    lag.recordReplica(300n);
    expect(lag.computeLagMs(3_500)).toBe(500);
  });

  it('returns a small lag although the primary has written nothing for a minute', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(1_000, 100n);
    lag.recordReplica(100n);
    lag.recordPrimary(60_000, 100n);
    lag.recordReplica(100n);
    expect(lag.computeLagMs(60_100)).toBe(100);
  });

  it('returns a growing lag while the replica stands still, even after positions of the primary were dropped', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(0, 1n);
    lag.recordReplica(1n);
    // More positions than the model keeps. The one that the replica has reached is kept separately.
    for (let second = 1; second <= 200; second += 1) {
      lag.recordPrimary(second * 1_000, BigInt(second + 1));
      lag.recordReplica(1n);
    }
    expect(lag.computeLagMs(200_000)).toBe(200_000);
  });

  it('returns an infinite lag after a reset, until the replica reaches a position that was recorded later', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(0, 100n);
    lag.recordReplica(100n);
    lag.reset();
    expect(lag.computeLagMs(1)).toBe(Infinity);
    lag.recordPrimary(5, 110n);
    lag.recordReplica(110n);
    expect(lag.computeLagMs(6)).toBe(1);
  });

  it('knows which positions the replica has reached, until a reset', () => {
    const lag = new ReplicaLagModel();
    lag.recordPrimary(0, 200n);
    lag.recordReplica(250n);
    expect(lag.hasReached(250n)).toBe(true);
    expect(lag.hasReached(251n)).toBe(false);
    lag.reset();
    expect(lag.hasReached(1n)).toBe(false);
  });
});

describe('parseLsn', () => {
  it('parses the two halves of a position as one hexadecimal number', () => {
    expect(parseLsn('0/0')).toBe(0n);
    expect(parseLsn('16/B374D848')).toBe(0x16b374d848n);
  });

  it('orders positions as PostgreSQL does', () => {
    expect(parseLsn('1/0') > parseLsn('0/FFFFFFFF')).toBe(true);
  });
});
