/**
 * The participants of a chat who have left it and may return. Redis reports them in publications (Pub/Sub) and in
 * replies to calls, over two connections. A publication that arrives during a call is newer than the reply to the call.
 */
export class AwayUsers {
  private readonly userIds = new Set<number>();
  /** Number of publications received, by user. */
  private readonly publicationCounts = new Map<number, number>();

  has(userId: number): boolean {
    return this.userIds.has(userId);
  }

  /** Stores whether a user is away, as `read` reports it, unless a publication arrives in the meantime. */
  async update(userId: number, read: () => Promise<boolean>): Promise<void> {
    const countBefore = this.publicationCounts.get(userId);
    const isAway = await read();
    if (countBefore === this.publicationCounts.get(userId)) this.set(userId, isAway);
  }

  /**
   * Handles a publication.
   * @returns whether the user's state has changed.
   */
  receive(userId: number, isAway: boolean): boolean {
    this.publicationCounts.set(userId, (this.publicationCounts.get(userId) ?? 0) + 1);
    if (this.userIds.has(userId) === isAway) return false;
    this.set(userId, isAway);
    return true;
  }

  private set(userId: number, isAway: boolean): void {
    if (isAway) this.userIds.add(userId);
    else this.userIds.delete(userId);
  }
}
