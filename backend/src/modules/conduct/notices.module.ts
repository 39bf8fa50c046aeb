import { Module } from '@nestjs/common';
import { AppealsService } from './application/appeals.service';
import { ConductModule } from './conduct.module';
import { NoticesController } from './transport/notices.controller';

/** Notices to users about decisions, and their appeals. */
@Module({ imports: [ConductModule], controllers: [NoticesController], providers: [AppealsService] })
export class NoticesModule {}
