import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditPage, ModeratorAction } from '@thaw/contract/moderation-records';
import type { EntityManager } from 'typeorm';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { createNameBasedUuid } from '../../../platform/event-store/name-based-uuid.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { type ModeratorActed, buildModeratorStreamId } from '../domain/moderator.events';
import { ModeratorActionRepository } from '../infrastructure/moderator-action.repository';

export interface ModeratorAct {
  moderatorId: number;
  action: ModeratorAction;
  caseId?: number;
  userId?: number;
  imageId?: number;
}

const ENTRIES_PER_PAGE = 100;
const HOUR_MS = 60 * 60_000;

/**
 * The record of what moderators read and change. It is part of the event log, so no process of the product can change
 * or delete it. A read is recorded before its result is shown: if the record fails, nothing is shown.
 */
@Injectable()
export class AuditService {
  constructor(
    private readonly eventStore: EventStoreRepository,
    private readonly actions: ModeratorActionRepository,
  ) {}

  /** @param manager a transaction that changes what the record is about, so that both commit together. */
  async record(act: ModeratorAct, manager?: EntityManager): Promise<void> {
    await this.append(act, randomUUID(), manager);
  }

  /** Records an act that the page repeats by itself, such as reloading the queue, at most once an hour. */
  async recordHourly(act: ModeratorAct): Promise<void> {
    const hour = Math.floor(Date.now() / HOUR_MS);
    await this.append(act, createNameBasedUuid(`${JSON.stringify(act)} ${hour}`));
  }

  /** Records that a moderator reads the profile of a user whom they have not met (A12). */
  @OnProcessEvent('ProfileReadByModerator')
  async recordProfileRead(read: ProcessEventMap['ProfileReadByModerator']): Promise<void> {
    await this.record({ ...read, action: 'profile_read' });
  }

  /** Newest first. @param beforeId the cursor of the page before. */
  async list(moderatorId: number | undefined, beforeId: number | undefined): Promise<AuditPage> {
    const rows = await this.actions.findBefore(beforeId, moderatorId, ENTRIES_PER_PAGE + 1);
    const shown = rows.slice(0, ENTRIES_PER_PAGE);
    return {
      entries: shown.map(({ createdAt, ...entry }) => ({ ...entry, at: createdAt.toISOString() })),
      nextCursor: rows.length > shown.length ? String(shown.at(-1)?.id) : null,
    };
  }

  private async append(act: ModeratorAct, eventId: string, manager?: EntityManager): Promise<void> {
    const { moderatorId, action, caseId = null, userId = null, imageId = null } = act;
    const event: ModeratorActed = {
      type: 'ModeratorActed',
      eventId,
      occurredAt: new Date(),
      data: { moderatorId, action, caseId, userId, imageId },
    };
    await this.eventStore.append(buildModeratorStreamId(moderatorId), 'any', [event], manager);
  }
}
