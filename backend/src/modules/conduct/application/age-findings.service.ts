import { Injectable } from '@nestjs/common';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { RequestVoidingService } from '../../friends/application/request-voiding.service';
import { HeldImagesService } from '../../uploads/application/held-images.service';
import { ConductService } from './conduct.service';
import { EvidenceService } from './evidence.service';

export type AgeStatement = ProcessEventMap['AgeStated'];

/**
 * Opens a case about a user who has stated in a random chat that they are under 18, asks them for their age, and voids
 * the friend request that one of the two has sent the other.
 */
@Injectable()
export class AgeFindingsService {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly conduct: ConductService,
    private readonly images: HeldImagesService,
    private readonly requests: RequestVoidingService,
  ) {}

  /** The same end of a chat counts once. */
  @OnProcessEvent('AgeStated')
  async raise({ sessionId, userIds, userId, messageId, endEventId }: AgeStatement): Promise<void> {
    const marked = messageId === null ? 'newest' : [messageId];
    const taken = await this.evidence.takeFromRandomChat(sessionId, userIds, marked);
    await this.conduct.raiseFinding(
      {
        userId,
        finding: 'stated_age',
        sourceEventId: endEventId,
        evidence: taken.json,
        evidenceHash: taken.hash,
      },
      async (manager, { events }) => {
        const raised = events.find(({ type }) => type === 'FindingRaised');
        if (raised?.type === 'FindingRaised')
          await this.images.hold(taken.imageKeys, raised.data.caseId, manager);
        const [first, second] = userIds;
        if (first !== undefined && second !== undefined)
          await this.requests.voidPending(first, second, manager);
      },
    );
  }
}
