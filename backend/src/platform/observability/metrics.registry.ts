import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { type DurationHistogram, durationBounds } from './duration.model';

/** The value of each label, by name. */
type Labels = Record<string, string>;

/** The metrics of this process, for `/metrics` on the internal port. */
@Injectable()
export class MetricsRegistry {
  private readonly registry = new Registry();
  private readonly scrapeErrors: Counter;
  /** Readings of the current scrape that several gauges share. */
  private readonly readings = new Map<object, Promise<unknown>>();

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

  /** @param read returns the count since the process started; called at each scrape. */
  addReadCounter(name: string, help: string, read: () => number): Counter {
    return new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /**
   * Counts with labels that are kept elsewhere, where a counter of prom-client would cost too much.
   * @param read returns the counts since the process started; called at each scrape.
   */
  addReadCounts(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, count: number]>,
  ): void {
    this.registerReading(name, help, 'counter', () =>
      [...read()].map(([labels, value]) => ({ labels, value })),
    );
  }

  /** @param read returns the durations observed since the process started; called at each scrape. */
  addReadDurations(
    name: string,
    help: string,
    read: () => Iterable<readonly [labels: Labels, durations: DurationHistogram]>,
  ): void {
    this.registerReading(name, help, 'histogram', () =>
      [...read()].flatMap(([labels, durations]) => createSamples(name, labels, durations)),
    );
  }

  /**
   * Values with labels, read once per scrape. If reading them fails, that scrape omits them all, and
   * `thaw_scrape_errors_total` counts it.
   */
  addReadGauges(
    name: string,
    help: string,
    read: () => Promise<Iterable<readonly [labels: Labels, value: number]>>,
  ): void {
    this.registerReading(name, help, 'gauge', async () => {
      try {
        return [...(await read())].map(([labels, value]) => ({ labels, value }));
      } catch {
        this.scrapeErrors.inc();
        return [];
      }
    });
  }

  /**
   * @param read called at each scrape; without it, the gauge keeps the value last set. If it rejects, that scrape omits
   * the gauge, and `thaw_scrape_errors_total` counts it.
   */
  addGauge(name: string, help: string, read?: () => number | Promise<number>): Gauge {
    const { scrapeErrors } = this;
    return new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        if (!read) return;
        try {
          this.set(await read());
        } catch {
          this.remove();
          scrapeErrors.inc();
        }
      },
    });
  }

  /**
   * Registers gauges that share one reading per scrape.
   * @param read returns the reading from which each gauge takes its value.
   */
  addGauges<Reading>(
    gauges: Record<string, { help: string; read: (reading: Reading) => number }>,
    read: () => Promise<Reading>,
  ): void {
    const readOnce = (): Promise<Reading> => {
      const known = this.readings.get(read) as Promise<Reading> | undefined;
      if (known) return known;
      const reading = read();
      this.readings.set(read, reading);
      return reading;
    };
    for (const [name, { help, read: take }] of Object.entries(gauges)) {
      this.addGauge(name, help, async () => take(await readOnce()));
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

  /**
   * Registers a metric whose samples are read at each scrape. prom-client asks a metric for its name and `get` only.
   */
  private registerReading(
    name: string,
    help: string,
    type: 'counter' | 'gauge' | 'histogram',
    read: () => Sample[] | Promise<Sample[]>,
  ): void {
    const metric = { name, get: async () => ({ name, help, type, values: await read(), aggregator: 'sum' }) };
    this.registry.registerMetric(metric as unknown as Metric);
  }

  /** Returns all metrics in the text format of Prometheus. */
  async expose(): Promise<{ contentType: string; body: string }> {
    this.readings.clear();
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}

interface Sample {
  labels: Labels;
  value: number;
  /** Of the samples of a histogram, which differ from the name of the metric. */
  metricName?: string;
}

/** The cumulative buckets, the sum in seconds and the count of a histogram. */
const createSamples = (name: string, labels: Labels, { counts, sumMs }: DurationHistogram): Sample[] => {
  let count = 0;
  const buckets = counts.map((inBucket, index) => {
    count += inBucket;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(durationBounds[index] ?? '+Inf') },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
};
