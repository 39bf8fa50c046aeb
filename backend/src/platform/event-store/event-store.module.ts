import { Global, Module } from '@nestjs/common';
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
export class EventStoreModule {}
