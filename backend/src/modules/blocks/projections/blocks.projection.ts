import type { EntityManager } from 'typeorm';
import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { BlockEvent } from '../domain/block.events';
import { BlockEntity } from '../infrastructure/block.entity';

const types: readonly BlockEvent['type'][] = ['PersonBlocked', 'PersonUnblocked'];

export const blockEventTypes: readonly EventTypeDefinition[] = types.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: [],
}));

const project = async (event: StoredEvent & BlockEvent, manager: EntityManager): Promise<void> => {
  switch (event.type) {
    case 'PersonBlocked':
      await manager.insert(BlockEntity, { ...event.data, createdAt: event.occurredAt });
      return;
    case 'PersonUnblocked':
      await manager.delete(BlockEntity, event.data);
      return;
    default:
      return event satisfies never;
  }
};

export const blocksProjection: Projection = {
  name: 'blocks',
  tables: ['blocks'],
  handles: types,
  async apply(events, manager) {
    for (const event of events) await project(event as StoredEvent & BlockEvent, manager);
  },
};
