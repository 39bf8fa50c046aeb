import { Module } from '@nestjs/common';
import { ModerationFiguresService } from './application/moderation-figures.service';
import { FiguresRepository } from './infrastructure/figures.repository';

/** Statistics on moderation, for the moderators' page and for the workers' metrics. */
@Module({ providers: [ModerationFiguresService, FiguresRepository], exports: [ModerationFiguresService] })
export class ModerationFiguresModule {}
