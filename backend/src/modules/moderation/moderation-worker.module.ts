import { Module } from '@nestjs/common';
import { ModerationMetricsService } from './application/moderation-metrics.service';
import { ModerationFiguresModule } from './moderation-figures.module';
import { ModerationReadModelModule } from './moderation-read-model.module';

/** The part of moderation that runs in the worker. */
@Module({
  imports: [ModerationReadModelModule, ModerationFiguresModule],
  providers: [ModerationMetricsService],
})
export class ModerationWorkerModule {}
