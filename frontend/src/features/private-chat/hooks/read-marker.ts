/**
 * Marks messages as read on the server, one call at a time. Messages that arrive during a call are covered by one more
 * call after it.
 */
export class ReadMarker {
  private isCalling = false;
  private isAnotherCallNeeded = false;

  constructor(
    private readonly markAsRead: () => Promise<void>,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  mark(): void {
    if (this.isCalling) {
      this.isAnotherCallNeeded = true;
      return;
    }
    this.isCalling = true;
    this.markAsRead()
      .catch(this.onFailed)
      .finally(() => {
        this.isCalling = false;
        if (!this.isAnotherCallNeeded) return;
        this.isAnotherCallNeeded = false;
        this.mark();
      });
  }
}
