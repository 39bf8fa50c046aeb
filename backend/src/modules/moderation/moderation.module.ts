import { Module } from '@nestjs/common';
import { ConductModule } from '../conduct/conduct.module';
import { ImageBlocksModule } from '../image-blocks/image-blocks.module';
import { StandingsModule } from '../standings/standings.module';
import { UploadsModule } from '../uploads/uploads.module';
import { AuditService } from './application/audit.service';
import { CaseImagesService } from './application/case-images.service';
import { CasesService } from './application/cases.service';
import { EligibleModeratorsService } from './application/eligible-moderators.service';
import { ImageMatchService } from './application/image-match.service';
import { ModerationService } from './application/moderation.service';
import { PeopleService } from './application/people.service';
import { CaseRepository } from './infrastructure/case.repository';
import { ModeratorActionRepository } from './infrastructure/moderator-action.repository';
import { PersonRepository } from './infrastructure/person.repository';
import { ModerationFiguresModule } from './moderation-figures.module';
import { ModerationReadModelModule } from './moderation-read-model.module';
import { CaseActsController, CaseAppealsController } from './transport/case-acts.controller';
import { CasesController } from './transport/cases.controller';
import { ModerationRecordsController } from './transport/moderation-records.controller';
import { PeopleController } from './transport/people.controller';

@Module({
  imports: [
    ModerationReadModelModule,
    ModerationFiguresModule,
    ConductModule,
    ImageBlocksModule,
    StandingsModule,
    UploadsModule,
  ],
  controllers: [
    CasesController,
    CaseActsController,
    CaseAppealsController,
    PeopleController,
    ModerationRecordsController,
  ],
  providers: [
    AuditService,
    CaseImagesService,
    CasesService,
    EligibleModeratorsService,
    ImageMatchService,
    ModerationService,
    PeopleService,
    CaseRepository,
    ModeratorActionRepository,
    PersonRepository,
  ],
})
export class ModerationModule {}
