import { Module } from '@nestjs/common';
import { MatchRemovalModule } from '../matching/match-removal.module';
import { ChatErasureService } from './application/chat-erasure.service';

/** Erases users from random chats. Used by the worker. */
@Module({ imports: [MatchRemovalModule], providers: [ChatErasureService], exports: [ChatErasureService] })
export class ChatErasureModule {}
