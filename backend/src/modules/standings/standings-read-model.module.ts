import { Module } from '@nestjs/common';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { StandingRepository } from './infrastructure/standing.repository';
import { standingEventTypes, standingsProjection } from './projections/standings.projection';

/** Event types, projection, tables and queries of standings. Depends on the platform only. */
@Module({ providers: [StandingRepository], exports: [StandingRepository] })
export class StandingsReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(standingEventTypes);
    projections.register(standingsProjection);
  }
}
