/** Marks messages as read on the server, one call at a time; what arrives during a call is covered by the next one. */
export class Reading {
  private isCalling = false;
  private isMore = false;

  constructor(
    private readonly markAsRead: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  read(): void {
    if (this.isCalling) {
      this.isMore = true;
      return;
    }
    this.isCalling = true;
    this.markAsRead()
      .catch(this.failed)
      .finally(() => {
        this.isCalling = false;
        if (!this.isMore) return;
        this.isMore = false;
        this.read();
      });
  }
}
