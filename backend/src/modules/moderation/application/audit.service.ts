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

/** What a moderator read or changed, and the case, user or image that it concerns. */
export interface NewAuditEntry {
  moderatorId: number;
  action: ModeratorAction;
  caseId?: number;
  userId?: number;
  imageId?: number;
}

const ENTRIES_PER_PAGE = 100;
const HOUR_MS = 60 * 60_000;

/**
 * The audit log of moderators' reads and changes. It is part of the event log, which is append-only: triggers in
 * PostgreSQL refuse changes and deletions. Callers record a read before they return its result: if recording fails, the
 * read fails.
 */
@Injectable()
export class AuditService {
  constructor(
    private readonly eventStore: EventStoreRepository,
    private readonly actions: ModeratorActionRepository,
  ) {}

  /** @param manager the transaction of the recorded change, so that the change and its record commit together */
  async record(entry: NewAuditEntry, manager?: EntityManager): Promise<void> {
    await this.append(entry, randomUUID(), manager);
  }

  /** Records an entry once in each clock hour, for reads that the page repeats automatically, such as the queue. */
  async recordOncePerHour(entry: NewAuditEntry): Promise<void> {
    const hour = Math.floor(Date.now() / HOUR_MS);
    // Within an hour the event id stays the same, and the event store ignores an id that it has already stored.
    await this.append(entry, createNameBasedUuid(`${JSON.stringify(entry)} ${hour}`));
  }

  /** Records that a moderator read a profile that only their role permits them to read. */
  @OnProcessEvent('ProfileReadByModerator')
  async recordProfileRead({ moderatorId, userId }: ProcessEventMap['ProfileReadByModerator']): Promise<void> {
    await this.record({ moderatorId, action: 'profile_read', userId });
  }

  /**
   * Lists one page of the audit log, newest first.
   * @param moderatorId whose entries to list; undefined for those of all moderators
   * @param beforeId `nextCursor` of the previous page; undefined for the first page
   */
  async list(moderatorId: number | undefined, beforeId: number | undefined): Promise<AuditPage> {
    // The extra row shows whether there is another page.
    const rows = await this.actions.findBefore(beforeId, moderatorId, ENTRIES_PER_PAGE + 1);
    const page = rows.slice(0, ENTRIES_PER_PAGE);
    const hasNextPage = rows.length > page.length;
    return {
      entries: page.map(({ createdAt, ...entry }) => ({ ...entry, at: createdAt.toISOString() })),
      nextCursor: hasNextPage ? String(page.at(-1)?.id) : null,
    };
  }

  private async append(entry: NewAuditEntry, eventId: string, manager?: EntityManager): Promise<void> {
    const { moderatorId, action, caseId = null, userId = null, imageId = null } = entry;
    const event: ModeratorActed = {
      type: 'ModeratorActed',
      eventId,
      occurredAt: new Date(),
      data: { moderatorId, action, caseId, userId, imageId },
    };
    await this.eventStore.append(buildModeratorStreamId(moderatorId), 'any', [event], manager);
  }
}
