import { MetricsRegistry } from './metrics.registry';

const valueOf = (body: string, name: string): number | undefined => {
  const value = new RegExp(`^${name} (.*)$`, 'm').exec(body)?.[1];
  return value === undefined ? undefined : Number(value);
};

describe('MetricsRegistry', () => {
  it('omits and counts a gauge whose reading fails, and exposes all others', async () => {
    const metrics = new MetricsRegistry();
    let isAway = false;
    metrics.gauge('thaw_here', 'always', () => 7);
    metrics.gauge('thaw_there', 'sometimes', async () => {
      if (isAway) throw new Error('Connection is closed.');
      return 3;
    });
    expect(valueOf((await metrics.expose()).body, 'thaw_there')).toBe(3);
    isAway = true;
    const { body } = await metrics.expose();
    expect(valueOf(body, 'thaw_here')).toBe(7);
    expect(valueOf(body, 'thaw_there')).toBeUndefined();
    isAway = false;
    const after = (await metrics.expose()).body;
    expect(valueOf(after, 'thaw_there')).toBe(3);
    expect(valueOf(after, 'thaw_scrape_errors_total')).toBe(1);
  });

  it('exposes a count that is read at each scrape as a counter', async () => {
    const metrics = new MetricsRegistry();
    let count = 2;
    metrics.counterOf('thaw_tries_total', 'counted elsewhere', () => count);
    expect((await metrics.expose()).body).toContain('# TYPE thaw_tries_total counter\nthaw_tries_total 2\n');
    count = 5;
    expect(valueOf((await metrics.expose()).body, 'thaw_tries_total')).toBe(5);
  });

  it('reads gauges that share a reading once per scrape', async () => {
    const metrics = new MetricsRegistry();
    let asked = 0;
    metrics.gauges(
      {
        thaw_one: { help: 'one', read: ({ one }) => one },
        thaw_two: { help: 'two', read: ({ two }) => two },
      },
      async () => {
        asked += 1;
        return { one: asked, two: 2 * asked };
      },
    );
    await metrics.expose();
    const { body } = await metrics.expose();
    expect([valueOf(body, 'thaw_one'), valueOf(body, 'thaw_two'), asked]).toEqual([2, 4, 2]);
  });
});
