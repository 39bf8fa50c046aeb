/** Tells the server what was read, one call at a time; what comes during one is told by the next. */
export class Reading {
  private isCalling = false;
  private isMore = false;

  constructor(
    private readonly tell: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  read(): void {
    if (this.isCalling) {
      this.isMore = true;
      return;
    }
    this.isCalling = true;
    this.tell()
      .catch(this.failed)
      .finally(() => {
        this.isCalling = false;
        if (!this.isMore) return;
        this.isMore = false;
        this.read();
      });
  }
}
