import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from 'prom-client';
import { type DurationHistogram, durationBoundsInSeconds } from './duration.model';

/** The value of each label, by name. */
type Labels = Record<string, string>;

/**
 * The metrics of this process, for `/metrics` on the internal port. The values of a live metric are kept elsewhere, and
 * read at each scrape.
 */
@Injectable()
export class MetricsRegistry {
  private readonly registry = new Registry();
  private readonly scrapeErrors: Counter;
  private scrapeCount = 0;

  constructor() {
    collectDefaultMetrics({
      register: this.registry,
      prefix: 'thaw_',
      // In milliseconds. The default of 10 wakes the process a hundred times a second.
      eventLoopMonitoringPrecision: 100,
    });
    this.scrapeErrors = this.addCounter(
      'thaw_scrape_errors_total',
      'Gauges left out because reading them failed',
    );
  }

  addCounter<Label extends string = string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param read returns the count since the process started. If it throws, the whole scrape fails. */
  addLiveCounter(name: string, help: string, read: () => number): void {
    this.addLiveLabelledCounter(name, help, () => [[{}, read()]]);
  }

  /**
   * Registers a live counter with labels, for counts that change so often that updating a counter of prom-client would
   * cost too much.
   * @param read returns the counts since the process started. If it throws, the whole scrape fails.
   */
  addLiveLabelledCounter(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, count: number]>,
  ): void {
    this.registerLiveMetric(name, help, 'counter', () =>
      [...read()].map(([labels, value]) => ({ labels, value })),
    );
  }

  /**
   * Registers a live histogram, in seconds.
   * @param read returns the durations observed since the process started. If it throws, the whole scrape fails.
   */
  addLiveDurations(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, durations: DurationHistogram]>,
  ): void {
    this.registerLiveMetric(name, help, 'histogram', () =>
      [...read()].flatMap(([labels, durations]) => createDurationSamples(name, labels, durations)),
    );
  }

  /**
   * Registers a live gauge without labels.
   * @param read returns the value. If it fails, the scrape omits the gauge, and `thaw_scrape_errors_total` counts the
   * failure.
   */
  addLiveGauge(name: string, help: string, read: () => number | Promise<number>): void {
    this.addLiveLabelledGauge(name, help, async () => [[{}, await read()] as const]);
  }

  /**
   * Registers a live gauge with labels.
   * @param read returns the values. If it fails, the scrape omits all of them, and `thaw_scrape_errors_total` counts
   * the failure.
   */
  addLiveLabelledGauge(
    name: string,
    help: string,
    read: () => Promise<Iterable<readonly [labels: Labels, value: number]>>,
  ): void {
    this.registerLiveMetric(name, help, 'gauge', async () => {
      try {
        return [...(await read())].map(([labels, value]) => ({ labels, value }));
      } catch {
        this.scrapeErrors.inc();
        return [];
      }
    });
  }

  /**
   * Registers live gauges whose values come from one reading per scrape, such as one query.
   * @param gauges by name; the `read` of each takes its value from the reading.
   * @param takeReading called once per scrape. If it fails, the scrape omits these gauges, and
   * `thaw_scrape_errors_total` counts a failure for each.
   */
  addLiveGaugesFromOneReading<Reading>(
    gauges: Record<string, { help: string; read: (reading: Reading) => number }>,
    takeReading: () => Promise<Reading>,
  ): void {
    let latest: { scrape: number; reading: Promise<Reading> } | undefined;
    const getReading = (): Promise<Reading> => {
      const scrape = this.scrapeCount;
      if (latest?.scrape !== scrape) latest = { scrape, reading: takeReading() };
      return latest.reading;
    };
    for (const [name, { help, read }] of Object.entries(gauges)) {
      this.addLiveGauge(name, help, async () => read(await getReading()));
    }
  }

  /** @param buckets upper bounds, in seconds. */
  addHistogram<Label extends string = string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets: number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** Registers a metric whose samples are read at each scrape. prom-client only uses its `name` and `get`. */
  private registerLiveMetric(
    name: string,
    help: string,
    type: 'counter' | 'gauge' | 'histogram',
    read: () => Sample[] | Promise<Sample[]>,
  ): void {
    const metric = { name, get: async () => ({ name, help, type, values: await read() }) };
    this.registry.registerMetric(metric as unknown as Metric);
  }

  /** Returns all metrics in the text format of Prometheus. */
  async expose(): Promise<{ contentType: string; body: string }> {
    this.scrapeCount += 1;
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}

interface Sample {
  labels: Labels;
  value: number;
  /** Set for the samples of a histogram, whose names differ from that of the metric. */
  metricName?: string;
}

/** Returns the cumulative buckets, the sum in seconds and the count of a histogram. */
const createDurationSamples = (
  name: string,
  labels: Labels,
  { counts, sumMs }: DurationHistogram,
): Sample[] => {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return {
      metricName: `${name}_bucket`,
      // `le` (less or equal) is the upper bound; the last bucket has none.
      labels: { ...labels, le: String(durationBoundsInSeconds[index] ?? '+Inf') },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: total },
  ];
};
