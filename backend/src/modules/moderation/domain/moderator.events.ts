import type { ModeratorAction } from '@thaw/contract/moderation-records';

/**
 * What a moderator has read or changed. `userId`: the user whom the case, the profile or the sanction concerns.
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

/** The stream with all that one moderator has done. */
export const buildModeratorStreamId = (moderatorId: number): string => `moderator-${moderatorId}`;
