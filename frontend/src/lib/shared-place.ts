/**
 * A part of the application that several tabs of one browser may show. Each tab holds a shared Web Lock while it shows
 * the part, so that a tab that leaves can check for others. Unavailable on plain http, which has no Web Locks.
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
    // Rejected where the browser blocks storage; `isOpenElsewhere` then returns undefined.
    this.released.catch(() => undefined);
  }

  leave(): void {
    this.release?.();
    this.release = undefined;
  }

  /** Whether another tab shows the part; call after leaving. Undefined where that cannot be determined. */
  async isOpenElsewhere(): Promise<boolean | undefined> {
    try {
      // Waits for the release: until then this tab's own lock would count as another tab's.
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
