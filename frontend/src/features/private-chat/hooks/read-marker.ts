/**
 * Marks messages as read on the server, one call at a time. Messages that arrive during a call are covered by one more
 * call after it.
 */
export class ReadMarker {
  private isCalling = false;
  private isCallNeeded = false;

  constructor(
    private readonly markAsRead: () => Promise<void>,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  requestCall(): void {
    if (this.isCalling) {
      this.isCallNeeded = true;
      return;
    }
    this.isCalling = true;
    this.markAsRead()
      .catch(this.onFailed)
      .finally(() => {
        this.isCalling = false;
        if (!this.isCallNeeded) return;
        this.isCallNeeded = false;
        this.requestCall();
      });
  }
}
