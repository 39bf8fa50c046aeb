import { Global, Module, Optional } from '@nestjs/common';
import { Metrics } from '../observability/metrics';
import { CommandExecutor } from './command-executor';
import { EventStore } from './event-store';
import { EventTypes } from './event-types';
import { PersonalData } from './personal-data';
import { ProjectionRebuilder } from './projection-rebuilder';
import { Projections } from './projection';

@Global()
@Module({
  providers: [EventStore, EventTypes, Projections, CommandExecutor, PersonalData, ProjectionRebuilder],
  exports: [EventStore, EventTypes, Projections, CommandExecutor, PersonalData, ProjectionRebuilder],
})
export class EventStoreModule {
  constructor(eventStore: EventStore, @Optional() metrics?: Metrics) {
    metrics?.gauge(
      'thaw_append_conflicts',
      'Appends of this process that were refused because somebody else was first',
      () => eventStore.conflictCount,
    );
  }
}
