import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { ModeratorsService } from './application/moderators.service';
import { UserErasureService } from './application/user-erasure.service';
import { UserLookupService } from './application/user-lookup.service';
import { UserEntity } from './infrastructure/user.entity';
import { UserRepository } from './infrastructure/user.repository';
import { userEventTypes, usersProjection } from './projections/users.projection';

/** The part of the users module that every process with access to the event log needs: events, read model, services. */
@Module({
  imports: [TypeOrmModule.forFeature([UserEntity])],
  providers: [UserRepository, ModeratorsService, UserErasureService, UserLookupService],
  exports: [UserRepository, ModeratorsService, UserErasureService, UserLookupService],
})
export class UsersReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(userEventTypes);
    projections.register(usersProjection);
  }
}
