import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Gender, Preference } from '@thaw/contract/scalars';
import { ReplicaLease } from '../../../platform/realtime/replica-lease';
import { SocketRegistry } from '../../../platform/realtime/socket-registry';
import { type LeftQueue, type Match, MatchingService, type Place } from './matching.service';

const CHECK_EVERY_MS = 10_000;
/** A retry is due a moment after the cool-down relaxes, not at the very millisecond. */
const RETRY_SLACK_MS = 50;

interface Waiting {
  gender: Gender;
  preference: Preference;
  retry: NodeJS.Timeout | undefined;
}

/** What a match leads to; the random-chat module supplies it. */
export interface MatchHandler {
  /** Starts the chat of a match that was just made here. */
  start(match: Match): Promise<void>;
  /** A user on record as in a chat, whose sockets here may not know it. */
  rejoin(userId: number, sessionId: string): Promise<void>;
  /** Settles a claim that ran out. @returns the users who wait again. */
  recover(match: Match): Promise<readonly number[]>;
}

/**
 * The users who search and have a socket here. It retries where a cool-down was in the way, and makes sure that
 * nobody is lost: every ten seconds their records are compared, every second claims that ran out are settled.
 */
@Injectable()
export class MatchSeeker implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MatchSeeker.name);
  private readonly waiting = new Map<number, Waiting>();
  private handler!: MatchHandler;
  private checkTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly matching: MatchingService,
    private readonly lease: ReplicaLease,
    private readonly registry: SocketRegistry,
  ) {}

  handleWith(handler: MatchHandler): void {
    this.handler = handler;
  }

  onModuleInit(): void {
    this.registry.onClose(({ identity: { userId } }, { wasLastOfUser }) => {
      if (!wasLastOfUser) return;
      this.forget(userId);
      this.matching
        .depart(userId)
        .catch((error: unknown) => this.warn('A departure was not recorded', error));
    });
    this.registry.onChatStarted((userId) => this.forget(userId));
    this.lease.onRenewed(() => void this.settleOverdueClaims());
    this.lease.onLapsed(() => void this.checkRecords());
    this.checkTimer = setInterval(() => void this.checkRecords(), CHECK_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.checkTimer);
    for (const userId of [...this.waiting.keys()]) this.forget(userId);
  }

  /** Number of users that search from here. */
  get size(): number {
    return this.waiting.size;
  }

  /** @param placed is told where the user stands before a chat starts, so that what it says comes first. */
  async join(
    userId: number,
    gender: Gender,
    preference: Preference,
    placed: (place: Place) => Promise<void> = async () => undefined,
  ): Promise<Place> {
    const place = await this.matching.join(userId, gender, preference);
    await placed(place);
    return this.follow(userId, place, gender, preference);
  }

  async arrive(userId: number, gender: Gender | null): Promise<Place> {
    return this.follow(userId, await this.matching.arrive(userId), gender, 'both');
  }

  async leave(userId: number): Promise<LeftQueue> {
    this.forget(userId);
    return this.matching.leave(userId);
  }

  private async follow(
    userId: number,
    place: Place,
    gender: Gender | null,
    preference: Preference,
  ): Promise<Place> {
    if (place.kind === 'searching') this.remember(userId, gender, place.preference, place.retryInMs);
    // Matched is not yet in a chat: he is looked after until it has started.
    else if (place.kind === 'matched' || place.kind === 'claimed') {
      this.remember(userId, gender, this.waiting.get(userId)?.preference ?? preference, null);
    } else this.forget(userId);
    if (place.kind === 'matched') await this.handler.start(place.match);
    return place;
  }

  private remember(
    userId: number,
    gender: Gender | null,
    preference: Preference,
    retryInMs: number | null,
  ): void {
    this.forget(userId);
    if (gender === null) return;
    const retry =
      retryInMs === null ? undefined : setTimeout(() => void this.retry(userId), retryInMs + RETRY_SLACK_MS);
    this.waiting.set(userId, { gender, preference, retry });
  }

  private forget(userId: number): void {
    clearTimeout(this.waiting.get(userId)?.retry);
    this.waiting.delete(userId);
  }

  private async retry(userId: number): Promise<void> {
    const waiting = this.waiting.get(userId);
    if (!waiting) return;
    try {
      const place = await this.matching.retry(userId);
      await this.follow(userId, place, waiting.gender, waiting.preference);
    } catch (error) {
      this.warn('A retry failed', error); // the next comparison of records goes on from here
    }
  }

  private async settleOverdueClaims(): Promise<void> {
    try {
      for (const match of await this.matching.overdueClaims()) {
        for (const userId of await this.handler.recover(match)) {
          const place = await this.matching.retry(userId);
          if (place.kind === 'matched') await this.handler.start(place.match);
        }
      }
    } catch (error) {
      this.warn('Overdue claims were not settled', error);
    }
  }

  /** Whatever happened, a user who searches here is in the queue or in a chat. */
  private async checkRecords(): Promise<void> {
    const userIds = [...this.waiting.keys()];
    if (userIds.length === 0) return;
    try {
      const records = await this.matching.records(userIds);
      for (const [index, userId] of userIds.entries()) {
        const waiting = this.waiting.get(userId);
        const record = records[index];
        if (!waiting) continue;
        if (record?.state === 'in' && record.sessionId) {
          this.forget(userId);
          await this.handler.rejoin(userId, record.sessionId);
        } else if (!record) {
          await this.join(userId, waiting.gender, waiting.preference);
        } else if (record.state === 'searching') {
          const place = await this.matching.arrive(userId);
          await this.follow(userId, place, waiting.gender, waiting.preference);
        }
      }
    } catch (error) {
      this.warn('Records were not compared', error);
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}: ${error instanceof Error ? error.message : 'unknown'}`);
  }
}
