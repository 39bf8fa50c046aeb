import { Injectable } from '@nestjs/common';
import { createNameBasedUuid } from '../../../platform/event-store/name-based-uuid.functions';
import { OnProcessEvent } from '../../../platform/process-events/process-event.decorator';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import { ConductService } from '../../conduct/application/conduct.service';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Opens a case about a user who sends an image on the block-list. If the image is illegal, the user is also suspended
 * until a moderator decides the case.
 */
@Injectable()
export class ImageMatchService {
  constructor(private readonly conduct: ConductService) {}

  /** Repeated attempts by a user to send the same image raise only one finding per day (UTC). */
  @OnProcessEvent('BlockedImageSent')
  async raiseFinding({
    userId,
    blockedImageId,
    sha256,
    rule,
  }: ProcessEventMap['BlockedImageSent']): Promise<void> {
    const day = Math.floor(Date.now() / DAY_MS);
    // `ConductService.raiseFinding` ignores an id that it has already recorded.
    const sourceEventId = createNameBasedUuid(`image_match ${userId} ${blockedImageId} ${day}`);
    await this.conduct.raiseFinding({
      userId,
      finding: 'image_match',
      sourceEventId,
      // The image is not stored. Its hash shows moderators which entry of the block-list it matches.
      evidence: null,
      evidenceHash: sha256,
      // A finding with a rule also suspends the user.
      rule: rule === 'no_illegal' ? rule : undefined,
    });
  }
}
