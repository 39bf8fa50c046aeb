import { parseUploadUrl } from '@thaw/contract/uploads';
import { ConductService } from '../../modules/conduct/application/conduct.service';
import { HeldImagesService } from '../../modules/uploads/application/held-images.service';
import { UploadsService } from '../../modules/uploads/application/uploads.service';
import { warn } from '../conduct.fixture';
import { createPlainJpeg } from '../image-corpus.fixture';
import { reportUser } from '../moderation.fixture';
import { imposeSanction } from '../standings.fixture';
import type { TestReplica, TestStack } from '../test-stack.harness';
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
  const replicaIndex = 0;
  const replica = stack.replicas[replicaIndex]!;
  const visitor = await stack.createVisitor(replicaIndex);
  const userId = visitor.user.id;
  const appealId = await appealAgainstWarning(replica, userId);
  const key = await uploadChatImage(replica, userId);
  const caseId = await reportImage(replica, reporter, visitor, key);
  // Keeps the file of the image for as long as the case needs it.
  await replica.app.get(HeldImagesService).hold([key], caseId, stack.database.dataSource.manager);
  await replica.app.get(ConductService).claimCase({ userId, caseId, moderatorId: moderator.user.id });
  const { sanctionId } = await imposeSanction(replica, userId);
  return { userId, caseId, sanctionId, appealId };
};

/** Warns a user, who appeals against the warning. @returns the id of the appeal. */
const appealAgainstWarning = async (replica: TestReplica, userId: number): Promise<number> => {
  const noticeId = await warn(replica, userId);
  const { appealId } = await replica.app.get(ConductService).fileAppeal({
    userId, // whom the case is about
    appellantId: userId, // who appeals: this user, or a user who has reported them
    noticeId,
    words: 'No.',
  });
  return appealId;
};

/** @returns the key of the stored image. */
const uploadChatImage = async (replica: TestReplica, ownerId: number): Promise<string> => {
  const url = await replica.app.get(UploadsService).receive({
    ownerId,
    bucket: 'chat-images',
    fileName: 'x',
    bytes: await createPlainJpeg(),
  });
  return parseUploadUrl(url)!.key;
};

/** Reports a user for a message with an image. @returns the id of the case. */
const reportImage = async (
  replica: TestReplica,
  reporter: ThawVisitor,
  target: ThawVisitor,
  key: string,
): Promise<number> => {
  const image = { imageId: EVIDENCE_IMAGE_ID, width: 1, height: 1, key };
  const { caseId } = await reportUser(replica, reporter, target, {
    messages: [
      {
        id: '1-0',
        senderId: target.user.id,
        at: new Date().toISOString(),
        versions: [''], // an image without a text, never edited
        type: 'image',
        isMarked: false,
        images: [image],
      },
    ],
  });
  return caseId;
};
