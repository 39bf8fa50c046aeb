import { Module } from '@nestjs/common';
import { MatchRemovalModule } from '../matching/match-removal.module';
import { ChatErasureService } from './application/chat-erasure.service';

/** What the worker does with the random chats of users who are erased. */
@Module({ imports: [MatchRemovalModule], providers: [ChatErasureService], exports: [ChatErasureService] })
export class ChatErasureModule {}
