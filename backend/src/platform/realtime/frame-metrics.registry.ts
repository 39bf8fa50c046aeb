import { Injectable } from '@nestjs/common';
import { clientFrames } from '@thaw/contract/client-frames';
import { closeCodes } from '@thaw/contract/close-codes';
import type { SocketErrorCode } from '@thaw/contract/error-codes';
import { DurationHistogram } from '../observability/duration.model';
import { MetricsRegistry } from '../observability/metrics.registry';

/** `ok`, or the code of the error that was sent to the client. */
type FrameOutcome = 'ok' | SocketErrorCode;

/** Outcomes that every event exposes from the start: alerts compare them, and `rate()` needs a first value of 0. */
const alwaysExposed: readonly FrameOutcome[] = ['ok', 'internal', 'unavailable'];

interface EventMetrics {
  durations: DurationHistogram;
  counts: Map<FrameOutcome, number>;
}

const createEventMetrics = (): EventMetrics => ({
  durations: new DurationHistogram(),
  counts: new Map(alwaysExposed.map((outcome) => [outcome, 0])),
});

/** The code that ws reports for a close frame without a code (RFC 6455, section 7.1.5). */
const NO_STATUS_RECEIVED = 1005;
const knownCloseCodes: ReadonlySet<number> = new Set([NO_STATUS_RECEIVED, ...Object.values(closeCodes)]);

// Clients choose event names and close codes. All unknown ones share a label, so that clients cannot add labels.
const LABEL_OF_UNKNOWN_EVENTS = 'unknown';
const LABEL_OF_UNKNOWN_CODES = 'other';

/** Counts the frames that this replica receives, measures their handling, and counts how its sockets close. */
@Injectable()
export class FrameMetricsRegistry {
  private readonly unknownEvent = createEventMetrics();
  private readonly byEvent = new Map([
    ...Object.keys(clientFrames).map((event) => [event, createEventMetrics()] as const),
    [LABEL_OF_UNKNOWN_EVENTS, this.unknownEvent] as const,
  ]);
  /** Starts with every known code at 0, because `rate()` needs a first value. */
  private readonly closes = new Map([...knownCloseCodes].map((code) => [String(code), 0]));

  constructor(metrics: MetricsRegistry) {
    metrics.addLiveLabelledCounter('thaw_frames_total', 'Frames received, by event and outcome', () =>
      this.readCounts(),
    );
    metrics.addLiveDurations(
      'thaw_frame_seconds',
      'Time from reading a frame to the end of its handling',
      () => [...this.byEvent].map(([event, { durations }]) => [{ event }, durations] as const),
    );
    // The durations of one event of `thaw_frame_seconds`, under the name that the alert on slow messages uses.
    metrics.addLiveDurations(
      'thaw_message_ack_seconds',
      'Time to acknowledge a message of a random chat',
      () => [[{}, this.getEventMetrics('random_message').durations]],
    );
    metrics.addLiveLabelledCounter('thaw_socket_closes_total', 'Sockets closed, by close code', () =>
      [...this.closes].map(([code, count]) => [{ code }, count] as const),
    );
  }

  /**
   * @param event any event that a client sent; events outside the contract are counted together.
   * @param durationMs time from reading the frame to the end of its handling.
   */
  recordFrame(event: string, outcome: FrameOutcome, durationMs: number): void {
    const { durations, counts } = this.getEventMetrics(event);
    durations.observe(durationMs);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** @param code any code that a client or the server sent; unknown ones are counted together. */
  recordClose(code: number): void {
    const label = knownCloseCodes.has(code) ? String(code) : LABEL_OF_UNKNOWN_CODES;
    this.closes.set(label, (this.closes.get(label) ?? 0) + 1);
  }

  private getEventMetrics(event: string): EventMetrics {
    return this.byEvent.get(event) ?? this.unknownEvent;
  }

  private *readCounts(): Generator<readonly [{ event: string; outcome: string }, number]> {
    for (const [event, { counts }] of this.byEvent)
      for (const [outcome, count] of counts) yield [{ event, outcome }, count];
  }
}
