import { Module } from '@nestjs/common';
import { UsersService } from './application/users.service';
import { UserRepository } from './infrastructure/user.repository';
import { UserController } from './transport/user.controller';
import { UsersReadModelModule } from './users-read-model.module';

@Module({
  imports: [UsersReadModelModule],
  controllers: [UserController],
  providers: [UserRepository, UsersService],
  exports: [UsersService],
})
export class UsersModule {}
