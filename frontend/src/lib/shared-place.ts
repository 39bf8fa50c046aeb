/**
 * A part of the application that several tabs of one browser may show at once, held by a Web Lock: whoever leaves
 * can learn whether another tab is still there. Without Web Locks (a page over plain http) that is not known.
 */
export class SharedPlace {
  private release: (() => void) | undefined;
  private released: Promise<unknown> = Promise.resolve();

  constructor(private readonly name: string) {}

  enter(): void {
    this.leave();
    const held = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    this.released = this.locks?.request(this.name, { mode: 'shared' }, () => held) ?? Promise.resolve();
    // Refused where the browser blocks storage; `isOpenElsewhere` then answers that it is not known.
    this.released.catch(() => undefined);
  }

  leave(): void {
    this.release?.();
    this.release = undefined;
  }

  /** Whether another tab is there; asked after having left. Undefined where that cannot be known. */
  async isOpenElsewhere(): Promise<boolean | undefined> {
    try {
      // Else our own lock, on its way out, would be taken for another tab's.
      await this.released;
      return await this.locks?.request(
        this.name,
        { mode: 'exclusive', ifAvailable: true },
        (lock) => lock === null,
      );
    } catch {
      return undefined;
    }
  }

  private get locks(): LockManager | undefined {
    return (navigator as Partial<Navigator>).locks;
  }
}
