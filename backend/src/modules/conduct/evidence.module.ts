import { Module } from '@nestjs/common';
import { RequestVoidingModule } from '../friends/request-voiding.module';
import { PrivateChatReadModelModule } from '../private-chat/private-chat-read-model.module';
import { ChatTranscriptModule } from '../random-chat/chat-transcript.module';
import { HeldImagesModule } from '../uploads/held-images.module';
import { UsersReadModelModule } from '../users/users-read-model.module';
import { AgeFindingsService } from './application/age-findings.service';
import { EvidenceService } from './application/evidence.service';
import { ConductModule } from './conduct.module';

/**
 * Copies evidence from chats, raises a finding when a user states an age under 18, and voids the pending friend request
 * of the two users of the chat; for api replicas and workers.
 */
@Module({
  imports: [
    ChatTranscriptModule,
    ConductModule,
    HeldImagesModule,
    PrivateChatReadModelModule,
    RequestVoidingModule,
    UsersReadModelModule,
  ],
  providers: [AgeFindingsService, EvidenceService],
  exports: [AgeFindingsService, EvidenceService],
})
export class EvidenceModule {}
