import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { BlocksService } from './application/blocks.service';
import { BlocksReadModelModule } from './blocks-read-model.module';
import { BlocksController } from './transport/blocks.controller';

@Module({
  imports: [BlocksReadModelModule, UsersModule],
  controllers: [BlocksController],
  providers: [BlocksService],
  exports: [BlocksService],
})
export class BlocksModule {}
