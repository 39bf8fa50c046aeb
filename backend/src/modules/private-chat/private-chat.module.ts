import { Module } from '@nestjs/common';
import { FriendsModule } from '../friends/friends.module';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersModule } from '../users/users.module';
import { PrivateChatService } from './application/private-chat.service';
import { PrivateTyping } from './application/private-typing';
import { ReadMarks } from './application/read-marks';
import { PrivateMessageRepository } from './infrastructure/private-message.repository';
import { PrivateChatReadModelModule } from './private-chat-read-model.module';
import { PrivateChatGateway } from './transport/private-chat.gateway';
import { PrivateMessagesController } from './transport/private-messages.controller';

@Module({
  imports: [PrivateChatReadModelModule, FriendsModule, UploadsModule, UsersModule],
  controllers: [PrivateMessagesController],
  providers: [PrivateChatGateway, PrivateChatService, PrivateMessageRepository, PrivateTyping, ReadMarks],
})
export class PrivateChatModule {}
