/**
 * A place of the application, such as the random chat, that several tabs of one browser may show. While a tab shows the
 * place, it holds a shared Web Lock. A tab that leaves the place can check whether another tab still holds the lock.
 * Browsers have no Web Locks on plain http.
 */
export class SharedPlace {
  private release: (() => void) | undefined;
  /** Settles when this tab no longer holds the lock. */
  private lockReleased: Promise<unknown> = Promise.resolve();

  constructor(private readonly name: string) {}

  /** Call when this tab shows the place. */
  enter(): void {
    this.leave();
    const untilLeft = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    this.lockReleased =
      this.locks?.request(this.name, { mode: 'shared' }, () => untilLeft) ?? Promise.resolve();
    // The lock request is rejected where the browser blocks storage; `isOpenElsewhere` then returns undefined.
    this.lockReleased.catch(() => undefined);
  }

  /** Call when this tab no longer shows the place. */
  leave(): void {
    this.release?.();
    this.release = undefined;
  }

  /**
   * Whether another tab shows the place; call after `leave`. Undefined without Web Locks and where storage is blocked.
   */
  async isOpenElsewhere(): Promise<boolean | undefined> {
    try {
      // Waits for the release: until then this tab's own lock would count as another tab's.
      await this.lockReleased;
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
