import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { Projection } from '../../../platform/event-store/projection.registry';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import type { ModeratorActed } from '../domain/moderator.events';
import { ModeratorActionEntity } from '../infrastructure/moderator-action.entity';

const type: ModeratorActed['type'] = 'ModeratorActed';

export const moderatorEventTypes: readonly EventTypeDefinition[] = [
  { type, schemaVersion: 1, personalFields: [] },
];

export const moderatorActionsProjection: Projection = {
  name: 'moderator_actions',
  tables: ['moderator_actions'],
  handles: [type],
  async apply(events, manager) {
    await manager.insert(
      ModeratorActionEntity,
      (events as readonly (StoredEvent & ModeratorActed)[]).map(({ globalPosition, occurredAt, data }) => ({
        id: globalPosition,
        ...data,
        createdAt: occurredAt,
      })),
    );
  },
};
