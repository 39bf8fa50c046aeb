import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import { createNameBasedUuid } from '../../../platform/event-store/name-based-uuid.functions';
import { userDecider } from '../domain/user.decider';
import { type ErasureReason, buildUserStreamId } from '../domain/user.events';

// For other modules, which may import the services of a module but not its domain.
export type { ErasureReason } from '../domain/user.events';

export interface UserErasure {
  userId: number;
  erasureId: string;
}

/** Appends the first and the last event of an erasure to the stream of the user. */
@Injectable()
export class UserErasureService {
  constructor(private readonly executor: CommandExecutorService) {}

  /**
   * Requests the erasure of a user. Once the transaction of `manager` is committed, the user no longer exists for other
   * users.
   * @throws DomainError not_found when there is no such user, or their erasure was already requested.
   */
  async request(
    { userId, erasureId }: UserErasure,
    reason: ErasureReason,
    requestedAt: Date,
    manager: EntityManager,
  ): Promise<void> {
    const command = {
      type: 'RequestErasure',
      eventId: randomUUID(),
      at: requestedAt,
      userId,
      erasureId,
      reason,
    } as const;
    await this.executor.execute(buildUserStreamId(userId), userDecider, command, manager);
  }

  /**
   * Records that the user's personal data is erased. Idempotent.
   * @param counts the numbers of erased items, by kind.
   * @returns whether this call recorded it.
   */
  async complete(
    { userId, erasureId }: UserErasure,
    counts: Readonly<Record<string, number>>,
    manager: EntityManager,
  ): Promise<boolean> {
    // The same id for every call with this erasure, so that the event `PersonErased` is stored only once.
    const eventId = createNameBasedUuid(`PersonErased ${erasureId}`);
    const command = { type: 'CompleteErasure', eventId, at: new Date(), userId, erasureId, counts } as const;
    const { events } = await this.executor.execute(buildUserStreamId(userId), userDecider, command, manager);
    return events.length > 0;
  }
}
