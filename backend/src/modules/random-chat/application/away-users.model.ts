/**
 * The participants of a chat who have left it and may return. Redis reports them in publications and in replies to
 * calls, over two connections. A publication that arrives during a call is newer than the reply to that call.
 */
export class AwayUsers {
  private readonly userIds = new Set<number>();
  /** Number of publications received, by user. */
  private readonly publications = new Map<number, number>();

  has(userId: number): boolean {
    return this.userIds.has(userId);
  }

  /** Reads whether a user is away, and stores the reply unless a publication has arrived in the meantime. */
  async update(userId: number, read: () => Promise<boolean>): Promise<void> {
    const publicationsBefore = this.publications.get(userId);
    const isAway = await read();
    if (publicationsBefore === this.publications.get(userId)) this.set(userId, isAway);
  }

  /** Handles a publication. @returns whether the user's state has changed. */
  receive(userId: number, isAway: boolean): boolean {
    this.publications.set(userId, (this.publications.get(userId) ?? 0) + 1);
    if (this.userIds.has(userId) === isAway) return false;
    this.set(userId, isAway);
    return true;
  }

  private set(userId: number, isAway: boolean): void {
    if (isAway) this.userIds.add(userId);
    else this.userIds.delete(userId);
  }
}
