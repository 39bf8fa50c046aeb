import { DomainError } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type { ImageBlockCommand } from './image-block.commands';
import type { ImageBlockEvent } from './image-block.events';

export interface ImageBlockState {
  /** Id of the current block; null while the image is not blocked. */
  imageId: number | null;
}

/**
 * @throws DomainError not_found when the image to unblock is not blocked, or was blocked again and has another id now
 */
const decide = (command: ImageBlockCommand, { imageId }: ImageBlockState): readonly ImageBlockEvent[] => {
  const { eventId, at, sha256, moderatorId } = command;
  switch (command.type) {
    case 'BlockImage': {
      if (imageId !== null) return []; // blocked already
      const { rule, caseId, dhash } = command;
      const data = { imageId: command.imageId, sha256, dhash, rule, caseId, moderatorId };
      return [{ type: 'ImageBlocked', eventId, occurredAt: at, data }];
    }
    case 'UnblockImage':
      if (imageId === null || imageId !== command.imageId) throw new DomainError('not_found');
      return [{ type: 'ImageUnblocked', eventId, occurredAt: at, data: { imageId, sha256, moderatorId } }];
    default:
      return command satisfies never;
  }
};

const evolve = (state: ImageBlockState, event: ImageBlockEvent): ImageBlockState => {
  switch (event.type) {
    case 'ImageBlocked':
      return { imageId: event.data.imageId };
    case 'ImageUnblocked':
      return { imageId: null };
    default:
      event satisfies never;
      return state;
  }
};

export const imageBlockDecider: Decider<ImageBlockState, ImageBlockCommand, ImageBlockEvent> = {
  initialState: () => ({ imageId: null }),
  evolve,
  decide,
};
