import { type Clock } from '@/lib/clock';

interface Timer {
  id: number;
  dueAtMs: number;
  run: () => void;
}

/** A clock that advances only when a test calls `advance`. */
export class FakeClock implements Clock {
  private timeMs: number;
  private nextId = 1;
  private timers: Timer[] = [];

  constructor(startMs = Date.parse('2026-11-20T12:00:00.000Z')) {
    this.timeMs = startMs;
  }

  /** The times until the timers are due, in ms, shortest first. */
  get pendingDelays(): number[] {
    return this.timers.map(({ dueAtMs }) => dueAtMs - this.timeMs).sort((a, b) => a - b);
  }

  now = (): number => this.timeMs;

  setTimeout = (run: () => void, delayMs: number): number => {
    const id = this.nextId++;
    this.timers.push({ id, dueAtMs: this.timeMs + delayMs, run });
    return id;
  };

  clearTimeout = (timer: number | undefined): void => {
    this.timers = this.timers.filter(({ id }) => id !== timer);
  };

  /** Advances the time and runs due timers in order. */
  advance(durationMs: number): void {
    const end = this.timeMs + durationMs;
    for (;;) {
      const [next] = this.timers
        .filter(({ dueAtMs }) => dueAtMs <= end)
        .sort((a, b) => a.dueAtMs - b.dueAtMs || a.id - b.id);
      if (!next) break;
      this.clearTimeout(next.id);
      this.timeMs = next.dueAtMs;
      next.run();
    }
    this.timeMs = end;
  }
}
