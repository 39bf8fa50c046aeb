import { Injectable } from '@nestjs/common';
import { closeCodes } from '@thaw/contract/close-codes';
import type { SocketErrorCode } from '@thaw/contract/error-codes';
import { DurationHistogram } from '../observability/duration.model';
import { MetricsRegistry } from '../observability/metrics.registry';

/** `ok`, or the code of the error that was sent. */
type FrameOutcome = 'ok' | SocketErrorCode;

/** Outcomes that every event exposes from its first frame on: alerts compare them. */
const alwaysExposed: readonly FrameOutcome[] = ['ok', 'internal', 'unavailable'];

interface EventMetrics {
  durations: DurationHistogram;
  counts: Map<FrameOutcome, number>;
}

/** The code that ws reports for a close frame without a code. */
const NO_CODE = 1005;
const knownCloseCodes: ReadonlySet<number> = new Set([NO_CODE, ...Object.values(closeCodes)]);

/** Counts the frames that this replica receives, measures their handling, and counts how its sockets close. */
@Injectable()
export class FrameMetricsRegistry {
  private readonly byEvent = new Map<string, EventMetrics>();
  /** Every known code from the start: rates of a counter need its first value. */
  private readonly closes = new Map([...knownCloseCodes].map((code) => [String(code), 0]));

  constructor(metrics: MetricsRegistry) {
    const messages = this.metricsOf('random_message');
    metrics.countsOf('thaw_frames_total', 'Frames received, by event and outcome', () => this.readCounts());
    metrics.durationsOf('thaw_frame_seconds', 'Time from reading a frame to the end of its handling', () =>
      [...this.byEvent].map(([event, { durations }]) => [{ event }, durations] as const),
    );
    metrics.durationsOf('thaw_message_ack_seconds', 'Time to acknowledge a message of a random chat', () => [
      [{}, messages.durations],
    ]);
    metrics.countsOf('thaw_socket_closes_total', 'Sockets closed, by close code', () =>
      [...this.closes].map(([code, count]) => [{ code }, count] as const),
    );
  }

  /** @param event an event of the contract, or `unknown`: clients must not be able to add labels. */
  recordFrame(event: string, outcome: FrameOutcome, durationMs: number): void {
    const { durations, counts } = this.metricsOf(event);
    durations.observe(durationMs);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** @param code any code that a client or the server sent; unknown ones are counted together. */
  recordClose(code: number): void {
    const label = knownCloseCodes.has(code) ? String(code) : 'other';
    this.closes.set(label, (this.closes.get(label) ?? 0) + 1);
  }

  private metricsOf(event: string): EventMetrics {
    const known = this.byEvent.get(event);
    if (known) return known;
    const created: EventMetrics = {
      durations: new DurationHistogram(),
      counts: new Map(alwaysExposed.map((outcome) => [outcome, 0])),
    };
    this.byEvent.set(event, created);
    return created;
  }

  private *readCounts(): Generator<readonly [{ event: string; outcome: string }, number]> {
    for (const [event, { counts }] of this.byEvent)
      for (const [outcome, count] of counts) yield [{ event, outcome }, count];
  }
}
