import { parseUploadUrl } from '@thaw/contract/uploads';
import { ConductService } from '../../modules/conduct/application/conduct.service';
import { HeldImagesService } from '../../modules/uploads/application/held-images.service';
import { UploadsService } from '../../modules/uploads/application/uploads.service';
import { warn } from '../conduct.fixture';
import { createPlainJpeg } from '../image-corpus.fixture';
import { reportUser } from '../moderation.fixture';
import { imposeSanction } from '../standings.fixture';
import type { TestStack } from '../test-stack.harness';
import type { ThawVisitor } from '../thaw.client';

/** The evidence of each case has one image. Image ids are unique within their case only. */
export const EVIDENCE_IMAGE_ID = 1;

/** A user on whom moderators act, and the ids of what they act on. */
export interface ModeratedUser {
  userId: number;
  caseId: number;
  sanctionId: number;
  appealId: number;
}

/**
 * Creates a user who has a sanction, has appealed against a warning, and has a case that `moderator` has claimed. The
 * evidence of the case has an image.
 */
export const createModeratedUser = async (
  stack: TestStack,
  moderator: ThawVisitor,
  reporter: ThawVisitor,
): Promise<ModeratedUser> => {
  const replica = stack.replicas[0]!;
  const visitor = await stack.createVisitor(0);
  const userId = visitor.user.id;
  const conduct = replica.app.get(ConductService);
  const noticeId = await warn(replica, userId);
  const { appealId } = await conduct.fileAppeal({ userId, appellantId: userId, noticeId, words: 'No.' });
  const url = await replica.app.get(UploadsService).receive({
    ownerId: userId,
    bucket: 'chat-images',
    fileName: 'x',
    bytes: await createPlainJpeg(),
  });
  const { key } = parseUploadUrl(url)!;
  const image = { imageId: EVIDENCE_IMAGE_ID, width: 1, height: 1, key };
  const { caseId } = await reportUser(replica, reporter, visitor, {
    messages: [
      {
        id: '1-0',
        senderId: userId,
        at: new Date().toISOString(),
        versions: [''], // an image without a text, never edited
        type: 'image',
        isMarked: false,
        images: [image],
      },
    ],
  });
  // Keeps the file of the image for as long as the case needs it.
  await replica.app.get(HeldImagesService).hold([key], caseId, stack.database.dataSource.manager);
  await conduct.claimCase({ userId, caseId, moderatorId: moderator.user.id });
  const { sanctionId } = await imposeSanction(replica, userId);
  return { userId, caseId, sanctionId, appealId };
};
