import type { ModeratorAction } from '@thaw/contract/moderation-records';

/**
 * A moderator has read or changed something. `userId`: the user whom the case, the profile or the sanction concerns.
 * `imageId`: an image of the case's evidence, or a blocked image.
 */
export interface ModeratorActed {
  type: 'ModeratorActed';
  eventId: string;
  occurredAt: Date;
  data: {
    moderatorId: number;
    action: ModeratorAction;
    caseId: number | null;
    userId: number | null;
    imageId: number | null;
  };
}

/** The stream of one moderator's acts. */
export const buildModeratorStreamId = (moderatorId: number): string => `moderator-${moderatorId}`;
