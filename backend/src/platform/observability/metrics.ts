import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The figures of this process, for `/metrics` on the internal port. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({
      register: this.registry,
      prefix: 'thaw_',
      // By itself it wakes the process a hundred times a second.
      eventLoopMonitoringPrecision: 100,
    });
  }

  counter<Label extends string = string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param read asked at each scrape; without it the gauge holds what it was last set to. */
  gauge(name: string, help: string, read?: () => number | Promise<number>): Gauge {
    return new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        if (read) this.set(await read());
      },
    });
  }

  /** @param buckets upper bounds, in seconds. */
  histogram<Label extends string = string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets: number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** All of it in the text format of Prometheus. */
  async expose(): Promise<{ contentType: string; body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
