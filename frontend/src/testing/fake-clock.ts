import { type Clock } from '@/lib/clock';

interface Timer {
  id: number;
  at: number;
  run: () => void;
}

/** A clock that advances only when a test calls `advance`. */
export class FakeClock implements Clock {
  private time: number;
  private nextId = 1;
  private timers: Timer[] = [];

  constructor(start = Date.parse('2026-11-20T12:00:00.000Z')) {
    this.time = start;
  }

  get pendingDelays(): number[] {
    return this.timers.map(({ at }) => at - this.time).sort((a, b) => a - b);
  }

  now = (): number => this.time;

  setTimeout = (run: () => void, delayMs: number): number => {
    const id = this.nextId++;
    this.timers.push({ id, at: this.time + delayMs, run });
    return id;
  };

  clearTimeout = (timer: number | undefined): void => {
    this.timers = this.timers.filter(({ id }) => id !== timer);
  };

  /** Advances the time and runs due timers in order. */
  advance(durationMs: number): void {
    const end = this.time + durationMs;
    for (;;) {
      const [next] = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id);
      if (!next) break;
      this.clearTimeout(next.id);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}
