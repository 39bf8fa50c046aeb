import { Module } from '@nestjs/common';
import { NoticeResponsesService } from './application/notice-responses.service';
import { ConductModule } from './conduct.module';
import { NoticesController } from './transport/notices.controller';

/** The HTTP routes of notices to users about decisions, and of appeals against them. */
@Module({ imports: [ConductModule], controllers: [NoticesController], providers: [NoticeResponsesService] })
export class NoticesModule {}
