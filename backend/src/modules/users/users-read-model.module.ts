import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { UserEntity } from './infrastructure/user.entity';
import { userEventTypes, usersProjection } from './projections/users.projection';

/** What has to be there wherever the log is read or written: the event types of users, and their table. */
@Module({ imports: [TypeOrmModule.forFeature([UserEntity])], exports: [TypeOrmModule] })
export class UsersReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(userEventTypes);
    projections.register(usersProjection);
  }
}
