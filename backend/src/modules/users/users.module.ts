import { Module } from '@nestjs/common';
import { Presence } from './application/presence';
import { ProfileAccess } from './application/profile-access';
import { UsersService } from './application/users.service';
import { UserRepository } from './infrastructure/user.repository';
import { UserController } from './transport/user.controller';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersReadModelModule } from './users-read-model.module';

@Module({
  imports: [UploadsModule, UsersReadModelModule],
  controllers: [UserController],
  providers: [UserRepository, UsersService, ProfileAccess, Presence],
  exports: [UsersService, ProfileAccess, Presence],
})
export class UsersModule {}
