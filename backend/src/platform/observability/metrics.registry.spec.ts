import { DurationHistogram } from './duration.model';
import { MetricsRegistry } from './metrics.registry';

/** Scrapes the metrics once. Returns a function that reads a value of the scrape by `name` or `name{label="value"}`. */
const scrape = async (metrics: MetricsRegistry) => {
  const { body } = await metrics.expose();
  return (nameAndLabels: string): number | undefined => {
    const line = body.split('\n').find((text) => text.startsWith(`${nameAndLabels} `));
    return line === undefined ? undefined : Number(line.slice(nameAndLabels.length));
  };
};

describe('MetricsRegistry', () => {
  it('omits a gauge while its reading fails, counts the failure, and exposes all other gauges', async () => {
    const metrics = new MetricsRegistry();
    let isDown = false;
    metrics.addLiveGauge('thaw_steady', 'never fails', () => 7);
    metrics.addLiveGauge('thaw_failing', 'fails sometimes', async () => {
      if (isDown) throw new Error('Connection is closed.');
      return 3;
    });
    const readBefore = await scrape(metrics);
    isDown = true;
    const readWhileDown = await scrape(metrics);
    isDown = false;
    const readAfterwards = await scrape(metrics);

    expect(readBefore('thaw_failing')).toBe(3);
    expect(readWhileDown('thaw_failing')).toBeUndefined();
    expect(readWhileDown('thaw_steady')).toBe(7);
    expect(readAfterwards('thaw_failing')).toBe(3);
    expect(readAfterwards('thaw_scrape_errors_total')).toBe(1);
  });

  it('omits a gauge with labels while its reading fails, and counts the failure', async () => {
    const metrics = new MetricsRegistry();
    metrics.addLiveLabelledGauge('thaw_waiting', 'waiting', () =>
      Promise.reject(new Error('Connection is closed.')),
    );
    expect((await metrics.expose()).body).not.toMatch(/^thaw_waiting/m);
    // The reading fails in this scrape too, but a scrape exposes only the failures of earlier scrapes.
    const read = await scrape(metrics);
    expect(read('thaw_scrape_errors_total')).toBe(1);
  });

  it('calls the reading function of several gauges once per scrape', async () => {
    const metrics = new MetricsRegistry();
    let readingCount = 0;
    metrics.addLiveGaugesFromOneReading(
      {
        thaw_one: { help: 'one', read: ({ one }) => one },
        thaw_two: { help: 'two', read: ({ two }) => two },
      },
      async () => {
        readingCount += 1;
        return { one: readingCount, two: 10 * readingCount };
      },
    );
    await scrape(metrics);
    const readSecondScrape = await scrape(metrics);
    expect(readingCount).toBe(2);
    expect(readSecondScrape('thaw_one')).toBe(2);
    expect(readSecondScrape('thaw_two')).toBe(20);
  });

  it('reads a count at each scrape and exposes it as a counter', async () => {
    const metrics = new MetricsRegistry();
    let count = 2;
    metrics.addLiveCounter('thaw_tries_total', 'counted elsewhere', () => count);
    expect((await metrics.expose()).body).toContain('# TYPE thaw_tries_total counter\nthaw_tries_total 2\n');
    count = 5;
    const read = await scrape(metrics);
    expect(read('thaw_tries_total')).toBe(5);
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
    const read = await scrape(metrics);
    // The number of durations up to each upper bound, in seconds. The bound before infinity is 8.192.
    const cumulativeCounts = { '0.000125': 1, '0.00025': 2, '8.192': 2, '+Inf': 3 };
    for (const [bound, count] of Object.entries(cumulativeCounts))
      expect(read(`thaw_frame_seconds_bucket{event="ping",le="${bound}"}`)).toBe(count);
    expect(read('thaw_frame_seconds_count{event="ping"}')).toBe(3);
    expect(read('thaw_frame_seconds_sum{event="ping"}')).toBeCloseTo(20.0003, 6);
  });
});
