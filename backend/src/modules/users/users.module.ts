import { Module } from '@nestjs/common';
import { UsersService } from './application/users.service';
import { UserController } from './transport/user.controller';
import { UsersReadModelModule } from './users-read-model.module';

@Module({
  imports: [UsersReadModelModule],
  controllers: [UserController],
  providers: [UsersService],
  exports: [UsersService, UsersReadModelModule],
})
export class UsersModule {}
