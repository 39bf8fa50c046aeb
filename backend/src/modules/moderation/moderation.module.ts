import { Module } from '@nestjs/common';
import { ImageBlocksModule } from '../image-blocks/image-blocks.module';
import { UploadsModule } from '../uploads/uploads.module';
import { AuditService } from './application/audit.service';
import { CaseImagesService } from './application/case-images.service';
import { CasesService } from './application/cases.service';
import { EligibleModeratorsService } from './application/eligible-moderators.service';
import { CaseRepository } from './infrastructure/case.repository';
import { ModeratorActionRepository } from './infrastructure/moderator-action.repository';
import { ModerationFiguresModule } from './moderation-figures.module';
import { ModerationReadModelModule } from './moderation-read-model.module';
import { CasesController } from './transport/cases.controller';
import { ModerationRecordsController } from './transport/moderation-records.controller';

@Module({
  imports: [ModerationReadModelModule, ModerationFiguresModule, ImageBlocksModule, UploadsModule],
  controllers: [CasesController, ModerationRecordsController],
  providers: [
    AuditService,
    CaseImagesService,
    CasesService,
    EligibleModeratorsService,
    CaseRepository,
    ModeratorActionRepository,
  ],
})
export class ModerationModule {}
