import { Module } from '@nestjs/common';
import { ModerationFiguresService } from './application/moderation-figures.service';
import { FiguresRepository } from './infrastructure/figures.repository';

/** The figures of moderation, for the page of moderators and for the metrics of workers. */
@Module({ providers: [ModerationFiguresService, FiguresRepository], exports: [ModerationFiguresService] })
export class ModerationFiguresModule {}
