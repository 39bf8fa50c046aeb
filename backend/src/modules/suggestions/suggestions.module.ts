import { Module } from '@nestjs/common';
import { FriendsModule } from '../friends/friends.module';
import { PrivateChatReadModelModule } from '../private-chat/private-chat-read-model.module';
import { ChatTranscriptModule } from '../random-chat/chat-transcript.module';
import { RandomChatModule } from '../random-chat/random-chat.module';
import { UsersModule } from '../users/users.module';
import { SuggestionsService } from './application/suggestions.service';
import { SuggestionsController } from './transport/suggestions.controller';

/** A language model suggests what to write next. The page also has suggestions of its own, which need no server. */
@Module({
  imports: [ChatTranscriptModule, FriendsModule, PrivateChatReadModelModule, RandomChatModule, UsersModule],
  controllers: [SuggestionsController],
  providers: [SuggestionsService],
})
export class SuggestionsModule {}
