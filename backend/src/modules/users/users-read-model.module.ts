import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypes } from '../../platform/event-store/event-types';
import { Projections } from '../../platform/event-store/projection';
import { UserEntity } from './infrastructure/user.entity';
import { userEventTypes, usersProjection } from './projections/users.projection';

/** What has to be there wherever the log is read or written: the event types of users, and their table. */
@Module({ imports: [TypeOrmModule.forFeature([UserEntity])], exports: [TypeOrmModule] })
export class UsersReadModelModule {
  constructor(eventTypes: EventTypes, projections: Projections) {
    eventTypes.register(userEventTypes);
    projections.register(usersProjection);
  }
}
