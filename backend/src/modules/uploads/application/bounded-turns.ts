import { DomainError } from '../../../platform/errors/domain-error';

/** Lets so many in at a time and so many wait, first come, first served. Whoever comes on top is refused. */
export class BoundedTurns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly queue: number,
  ) {}

  /**
   * @returns how to leave; calling it again changes nothing.
   * @throws DomainError unavailable when too many wait already.
   */
  async enter(): Promise<() => void> {
    if (this.running < this.atOnce) this.running += 1;
    else if (this.waiting.length < this.queue)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new DomainError('unavailable');
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.waiting.shift();
      // Whoever is next takes over this place.
      if (next) next();
      else this.running -= 1;
    };
  }

  /** @throws DomainError unavailable when too many wait already; what `work` throws. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
