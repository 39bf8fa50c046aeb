import { Module } from '@nestjs/common';
import { FriendsModule } from '../friends/friends.module';
import { UploadsModule } from '../uploads/uploads.module';
import { UsersModule } from '../users/users.module';
import { PrivateChatService } from './application/private-chat.service';
import { PrivateTypingService } from './application/private-typing.service';
import { ReadReceiptService } from './application/read-receipt.service';
import { PrivateMessageRepository } from './infrastructure/private-message.repository';
import { RecentChangeRepository } from './infrastructure/recent-change.repository';
import { PrivateChatReadModelModule } from './private-chat-read-model.module';
import { PrivateChatGateway } from './transport/private-chat.gateway';
import { PrivateMessagesController } from './transport/private-messages.controller';

@Module({
  imports: [PrivateChatReadModelModule, FriendsModule, UploadsModule, UsersModule],
  controllers: [PrivateMessagesController],
  providers: [
    PrivateChatGateway,
    PrivateChatService,
    PrivateMessageRepository,
    PrivateTypingService,
    ReadReceiptService,
    RecentChangeRepository,
  ],
})
export class PrivateChatModule {}
