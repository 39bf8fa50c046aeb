import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { ImageBlockEvent } from '../domain/image-block.events';
import { BlockedImageEntity } from '../infrastructure/blocked-image.entity';

const types: readonly ImageBlockEvent['type'][] = ['ImageBlocked', 'ImageUnblocked'];

export const imageBlockEventTypes: readonly EventTypeDefinition[] = types.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: [],
}));

const project = async (event: StoredEvent & ImageBlockEvent, manager: EntityManager): Promise<void> => {
  switch (event.type) {
    case 'ImageBlocked': {
      const { imageId, ...fields } = event.data;
      await manager.insert(BlockedImageEntity, { id: imageId, ...fields, createdAt: event.occurredAt });
      return;
    }
    case 'ImageUnblocked':
      await manager.delete(BlockedImageEntity, { id: event.data.imageId });
      return;
    default:
      return event satisfies never;
  }
};

export const imageBlocksProjection: Projection = {
  name: 'image_blocks',
  tables: ['blocked_images'],
  handles: types,
  async apply(events, manager) {
    for (const event of events) await project(event as StoredEvent & ImageBlockEvent, manager);
  },
};
