import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { UserEntity } from './infrastructure/user.entity';
import { userEventTypes, usersProjection } from './projections/users.projection';

/** Event types, projection and table of users, for every process that reads or writes the event log. */
@Module({ imports: [TypeOrmModule.forFeature([UserEntity])], exports: [TypeOrmModule] })
export class UsersReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(userEventTypes);
    projections.register(usersProjection);
  }
}
