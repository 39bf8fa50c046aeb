import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ExpiryHandlerRegistry } from '../../../platform/event-store/expiry-handler.registry';
import type { DroppedData } from '../../../platform/event-store/personal-data.repository';
import type { NewEvent } from '../../../platform/event-store/stored-event.types';
import { parseConductStreamId } from '../../standings/domain/standing.events';
import { HeldImagesService } from '../../uploads/application/held-images.service';
import type { EvidenceExpired } from '../domain/conduct.events';

/** Types of events that contain evidence. */
const evidenceTypes = ['ReportFiled', 'FindingRaised'];

/**
 * Handles evidence that the job `expire_bodies` has dropped: records its expiry in the conduct stream, and releases the
 * images that its case has held. The next `sweep_uploads` deletes their files.
 */
@Injectable()
export class EvidenceExpiryService implements OnModuleInit {
  constructor(
    private readonly handlers: ExpiryHandlerRegistry,
    private readonly images: HeldImagesService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('conduct', (streamId, dropped, now, manager) =>
      this.recordExpiry(streamId, dropped, now, manager),
    );
  }

  /**
   * Runs in the transaction that has dropped the evidence.
   * @returns an event for each case whose evidence was dropped. The caller appends them to the stream.
   */
  private async recordExpiry(
    streamId: string,
    dropped: readonly DroppedData[],
    now: Date,
    manager: EntityManager,
  ): Promise<NewEvent[]> {
    const reportIdsByCase = groupReportsByCase(dropped);
    for (const caseId of reportIdsByCase.keys()) {
      // The images belong to the case, so they are kept while it has other evidence.
      const keepsImages = await hasEvidence(streamId, caseId, manager);
      if (!keepsImages) await this.images.release(caseId, manager);
    }
    const userId = parseConductStreamId(streamId);
    return [...reportIdsByCase].map(([caseId, reportIds]): EvidenceExpired => ({
      eventId: randomUUID(),
      type: 'EvidenceExpired',
      data: { userId, caseId, reportIds },
      occurredAt: now,
    }));
  }
}

/** @returns the ids of the reports whose evidence was dropped, by case. A case with findings only has an empty list. */
const groupReportsByCase = (dropped: readonly DroppedData[]): ReadonlyMap<number, readonly number[]> => {
  const reportIdsByCase = new Map<number, number[]>();
  for (const { type, data } of dropped) {
    if (!evidenceTypes.includes(type)) continue;
    const { caseId, reportId } = data as { caseId: number; reportId?: number };
    const reportIds = reportIdsByCase.get(caseId) ?? [];
    if (reportId !== undefined) reportIds.push(reportId);
    reportIdsByCase.set(caseId, reportIds);
  }
  return reportIdsByCase;
};

/** Whether the case has evidence that has not expired, such as that of a later report. */
const hasEvidence = async (streamId: string, caseId: number, manager: EntityManager): Promise<boolean> => {
  const rows = await manager.query<unknown[]>(
    `SELECT 1 FROM events e JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
     WHERE e.stream_id = $1 AND e.type = ANY($2) AND e.data->>'caseId' = $3 LIMIT 1`,
    [streamId, evidenceTypes, String(caseId)],
  );
  return rows.length > 0;
};
