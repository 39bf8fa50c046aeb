import { Injectable } from '@nestjs/common';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { RequestVoidingService } from '../../friends/application/request-voiding.service';
import { HeldImagesService } from '../../uploads/application/held-images.service';
import { ConductService } from './conduct.service';
import { EvidenceService } from './evidence.service';

/** A statement of an age under 18, which has ended the chat `sessionId` of `userIds`. */
export type AgeStatement = ProcessEventMap['AgeStated'];

/**
 * Opens a case about a user who has stated in a random chat that they are under 18, asks them for their age, and voids
 * a pending friend request between the two users of the chat.
 */
@Injectable()
export class AgeFindingsService {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly conduct: ConductService,
    private readonly images: HeldImagesService,
    private readonly requests: RequestVoidingService,
  ) {}

  /** Idempotent by `endEventId`, the event that ended the chat. */
  @OnProcessEvent('AgeStated')
  async raise({ sessionId, userIds, userId, messageId, endEventId }: AgeStatement): Promise<void> {
    // Only an edited message has an id here; otherwise the statement is the newest message of the chat.
    const marked = messageId === null ? 'newest' : [messageId];
    const evidence = await this.evidence.copyRandomChat(sessionId, userIds, marked);
    await this.conduct.raiseFinding(
      {
        userId,
        finding: 'stated_age',
        sourceEventId: endEventId,
        evidence: evidence.json,
        evidenceHash: evidence.hash,
      },
      async (manager, { events }) => {
        // Absent when an earlier call has raised the finding.
        const raised = events.find(({ type }) => type === 'FindingRaised');
        if (raised?.type === 'FindingRaised')
          await this.images.hold(evidence.imageKeys, raised.data.caseId, manager);
        const [first, second] = userIds;
        if (first !== undefined && second !== undefined)
          await this.requests.voidPending(first, second, manager);
      },
    );
  }
}
