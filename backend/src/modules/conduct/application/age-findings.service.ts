import { Injectable } from '@nestjs/common';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { RequestVoidingService } from '../../friends/application/request-voiding.service';
import { HeldImagesService } from '../../uploads/application/held-images.service';
import { ConductService } from './conduct.service';
import { EvidenceService } from './evidence.service';

/** The user `userId` has stated an age under 18 in the chat `sessionId` of `userIds`, and the chat was ended for it. */
export type AgeStatement = ProcessEventMap['AgeStated'];

/**
 * Raises a finding about a user who has stated in a random chat that they are under 18: `ConductService` opens a case
 * and asks the user for their age. Also voids a pending friend request between the two users of the chat.
 */
@Injectable()
export class AgeFindingsService {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly conduct: ConductService,
    private readonly images: HeldImagesService,
    private readonly requests: RequestVoidingService,
  ) {}

  /** Repeated calls with the same `endEventId` raise one finding. */
  @OnProcessEvent('AgeStated')
  async raise({ sessionId, userIds, userId, messageId, endEventId }: AgeStatement): Promise<void> {
    // The evidence marks the message that states the age: the edited message `messageId`, or, without an edit, the
    // newest message of the chat, which had no id when the statement was found.
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
        // There are no events when an earlier call has raised the finding.
        for (const event of events) {
          if (event.type === 'FindingRaised')
            await this.images.hold(evidence.imageKeys, event.data.caseId, manager);
        }
        const [first, second] = userIds;
        // The check is only for the compiler: a chat has two users.
        if (first !== undefined && second !== undefined)
          await this.requests.voidPending(first, second, manager);
      },
    );
  }
}
