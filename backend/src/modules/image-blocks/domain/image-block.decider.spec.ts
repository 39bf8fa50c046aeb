import { createGiven } from '../../../testing/given.fixture';
import type { BlockImage, ImageBlockCommand } from './image-block.commands';
import { imageBlockDecider } from './image-block.decider';
import type { ImageBlockEvent } from './image-block.events';

const sha256 = 'ab'.repeat(32);
const noon = new Date(Date.UTC(2026, 10, 20, 12));
const given = createGiven(imageBlockDecider);

const blockedEvent: ImageBlockEvent = {
  type: 'ImageBlocked',
  eventId: 'first',
  occurredAt: noon,
  data: { imageId: 5, sha256, dhash: null, rule: 'no_illegal', caseId: 8, moderatorId: 3 },
};
const unblockedEvent: ImageBlockEvent = {
  type: 'ImageUnblocked',
  eventId: 'second',
  occurredAt: noon,
  data: { imageId: 5, sha256, moderatorId: 3 },
};
const blockCommand: BlockImage = {
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
const unblockCommand: ImageBlockCommand = {
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
      .when(blockCommand)
      .then({
        type: 'ImageBlocked',
        eventId: 'new',
        occurredAt: noon,
        data: { imageId: 6, sha256, dhash: 'f0f0f0f0f0f0f0f0', rule: 'no_hate', caseId: 9, moderatorId: 4 },
      });
  });

  it('is recorded once, and again after it was unblocked', () => {
    given(blockedEvent).when(blockCommand).thenNothing();
    given(blockedEvent, unblockedEvent).when(blockCommand).then({ type: 'ImageBlocked' });
  });
});

describe('unblocking an image', () => {
  it('is recorded with the image id of the block', () => {
    given(blockedEvent)
      .when(unblockCommand)
      .then({ type: 'ImageUnblocked', data: { imageId: 5, sha256, moderatorId: 4 } });
  });

  it('is refused for an image that is not blocked', () => {
    given().when(unblockCommand).thenThrows('not_found');
    given(blockedEvent, unblockedEvent).when(unblockCommand).thenThrows('not_found');
  });

  it('is refused with the image id of an earlier block, because a new block gives the image a new id', () => {
    const blockedAgainEvent = {
      ...blockedEvent,
      eventId: 'third',
      data: { ...blockedEvent.data, imageId: 7 },
    };
    given(blockedEvent, unblockedEvent, blockedAgainEvent).when(unblockCommand).thenThrows('not_found');
  });
});
