import { createGiven } from '../../../testing/given.fixture';
import type { BlockImage, ImageBlockCommand } from './image-block.commands';
import { imageBlockDecider } from './image-block.decider';
import type { ImageBlockEvent } from './image-block.events';

const sha256 = 'ab'.repeat(32);
const noon = new Date(Date.UTC(2026, 10, 20, 12));
const given = createGiven(imageBlockDecider);

const blocked: ImageBlockEvent = {
  type: 'ImageBlocked',
  eventId: 'first',
  occurredAt: noon,
  data: { imageId: 5, sha256, dhash: null, rule: 'no_illegal', caseId: 8, moderatorId: 3 },
};
const unblocked: ImageBlockEvent = {
  type: 'ImageUnblocked',
  eventId: 'second',
  occurredAt: noon,
  data: { imageId: 5, sha256, moderatorId: 3 },
};
const block: BlockImage = {
  type: 'BlockImage',
  eventId: 'new',
  at: noon,
  sha256,
  moderatorId: 4,
  imageId: 6,
  dhash: 'f0f0f0f0f0f0f0f0',
  rule: 'no_hate',
  caseId: 9,
};
const unblock: ImageBlockCommand = {
  type: 'UnblockImage',
  eventId: 'new',
  at: noon,
  sha256,
  moderatorId: 4,
  imageId: 5,
};

describe('blocking an image', () => {
  it('is recorded with its rule, its case and the moderator', () => {
    given()
      .when(block)
      .then({
        type: 'ImageBlocked',
        eventId: 'new',
        occurredAt: noon,
        data: { imageId: 6, sha256, dhash: 'f0f0f0f0f0f0f0f0', rule: 'no_hate', caseId: 9, moderatorId: 4 },
      });
  });

  it('is recorded once, and again after it was unblocked', () => {
    given(blocked).when(block).thenNothing();
    given(blocked, unblocked).when(block).then({ type: 'ImageBlocked' });
  });
});

describe('unblocking an image', () => {
  it('is recorded with the number under which the image was blocked', () => {
    given(blocked)
      .when(unblock)
      .then({ type: 'ImageUnblocked', data: { imageId: 5, sha256, moderatorId: 4 } });
  });

  it('is refused for an image that is not blocked', () => {
    given().when(unblock).thenThrows('not_found');
    given(blocked, unblocked).when(unblock).thenThrows('not_found');
  });

  it('is refused when another moderator has unblocked and blocked the image again in the meantime', () => {
    const blockedAgain = { ...blocked, eventId: 'third', data: { ...blocked.data, imageId: 7 } };
    given(blocked, unblocked, blockedAgain).when(unblock).thenThrows('not_found');
  });
});
