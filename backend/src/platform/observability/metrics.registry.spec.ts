import { DurationHistogram } from './duration.model';
import { MetricsRegistry } from './metrics.registry';

/** @param pattern matches the name of the metric and its labels */
const readValue = (body: string, pattern: string): number | undefined => {
  const value = new RegExp(`^${pattern} (.*)$`, 'm').exec(body)?.[1];
  return value === undefined ? undefined : Number(value);
};

describe('MetricsRegistry', () => {
  it('omits a gauge whose reading fails, counts the failure, and exposes all other gauges', async () => {
    const metrics = new MetricsRegistry();
    let isDown = false;
    metrics.addGauge('thaw_steady', 'never fails', () => 7);
    metrics.addGauge('thaw_failing', 'fails sometimes', async () => {
      if (isDown) throw new Error('Connection is closed.');
      return 3;
    });
    expect(readValue((await metrics.expose()).body, 'thaw_failing')).toBe(3);
    isDown = true;
    const { body } = await metrics.expose();
    expect(readValue(body, 'thaw_steady')).toBe(7);
    expect(readValue(body, 'thaw_failing')).toBeUndefined();
    isDown = false;
    const bodyAfterwards = (await metrics.expose()).body;
    expect(readValue(bodyAfterwards, 'thaw_failing')).toBe(3);
    expect(readValue(bodyAfterwards, 'thaw_scrape_errors_total')).toBe(1);
  });

  it('reads a count at each scrape and exposes it as a counter', async () => {
    const metrics = new MetricsRegistry();
    let count = 2;
    metrics.addLiveCounter('thaw_tries_total', 'counted elsewhere', () => count);
    expect((await metrics.expose()).body).toContain('# TYPE thaw_tries_total counter\nthaw_tries_total 2\n');
    count = 5;
    expect(readValue((await metrics.expose()).body, 'thaw_tries_total')).toBe(5);
  });

  it('calls the reading function of several gauges once per scrape', async () => {
    const metrics = new MetricsRegistry();
    let readings = 0;
    metrics.addGaugesFromOneReading(
      {
        thaw_one: { help: 'one', read: ({ one }) => one },
        thaw_two: { help: 'two', read: ({ two }) => two },
      },
      async () => {
        readings += 1;
        return { one: readings, two: 2 * readings };
      },
    );
    await metrics.expose();
    const { body } = await metrics.expose();
    expect([readValue(body, 'thaw_one'), readValue(body, 'thaw_two'), readings]).toEqual([2, 4, 2]);
  });

  it('reads counts with labels at each scrape and exposes them as a counter', async () => {
    const metrics = new MetricsRegistry();
    const counts = new Map([['1000', 2]]);
    metrics.addLiveLabelledCounter('thaw_closes_total', 'closes', () =>
      [...counts].map(([code, count]) => [{ code }, count] as const),
    );
    counts.set('4401', 1);
    expect((await metrics.expose()).body).toContain(
      '# TYPE thaw_closes_total counter\nthaw_closes_total{code="1000"} 2\nthaw_closes_total{code="4401"} 1\n',
    );
  });

  it('exposes durations as a histogram with cumulative buckets', async () => {
    const metrics = new MetricsRegistry();
    // Durations are observed in milliseconds, and exposed in seconds.
    const durations = new DurationHistogram();
    [0.1, 0.2, 20_000].forEach((ms) => durations.observe(ms));
    metrics.addLiveDurations('thaw_frame_seconds', 'frames', () => [[{ event: 'ping' }, durations]]);
    const { body } = await metrics.expose();
    /** @param bound the upper bound of the bucket, in seconds. */
    const readBucket = (bound: string) =>
      readValue(body, `thaw_frame_seconds_bucket\\{event="ping",le="${bound}"\\}`);
    expect(['0.000125', '0.00025', '8.192', '\\+Inf'].map(readBucket)).toEqual([1, 2, 2, 3]);
    expect(readValue(body, 'thaw_frame_seconds_count\\{event="ping"\\}')).toBe(3);
    expect(readValue(body, 'thaw_frame_seconds_sum\\{event="ping"\\}')).toBeCloseTo(20.0003, 6);
  });

  it('omits labelled gauges whose reading fails, and counts the failure', async () => {
    const metrics = new MetricsRegistry();
    metrics.addLiveLabelledGauge('thaw_waiting', 'waiting', () =>
      Promise.reject(new Error('Connection is closed.')),
    );
    expect((await metrics.expose()).body).not.toMatch(/^thaw_waiting/m);
    // The reading fails in this scrape too, but a scrape exposes only the failures of earlier scrapes.
    expect(readValue((await metrics.expose()).body, 'thaw_scrape_errors_total')).toBe(1);
  });
});
