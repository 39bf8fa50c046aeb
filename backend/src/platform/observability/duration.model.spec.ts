import { DurationHistogram, durationBoundsInSeconds } from './duration.model';

const findBucket = (ms: number): number => {
  const histogram = new DurationHistogram();
  histogram.observe(ms);
  return histogram.counts.indexOf(1);
};

describe('DurationHistogram', () => {
  it('has bounds that double, from 125 microseconds to 8.192 seconds', () => {
    expect(durationBoundsInSeconds[0]).toBe(0.000125);
    expect(durationBoundsInSeconds.at(-1)).toBe(8.192);
    durationBoundsInSeconds
      .slice(1)
      .forEach((bound, index) => expect(bound).toBe(2 * (durationBoundsInSeconds[index] ?? 0)));
  });

  it('counts a duration in the first bucket whose bound is not smaller', () => {
    durationBoundsInSeconds.forEach((bound, index) => {
      const ms = bound * 1_000;
      expect(findBucket(ms)).toBe(index);
      expect(findBucket(ms * 1.001)).toBe(index + 1);
    });
  });

  it('counts durations above all bounds in the last bucket, and negative ones in the first', () => {
    expect(findBucket(1e9)).toBe(durationBoundsInSeconds.length);
    expect(findBucket(-5)).toBe(0);
  });

  it('sums the durations, with negative ones as zero', () => {
    const histogram = new DurationHistogram();
    [1.5, 2, -4].forEach((ms) => histogram.observe(ms));
    expect(histogram.sumMs).toBe(3.5);
  });
});
