import { Module } from '@nestjs/common';
import { StandingsModule } from '../standings/standings.module';
import { ConductModule } from './conduct.module';
import { TimeLimitsProcessor } from './jobs/time-limits.processor';

/** The part of conduct that runs in the worker: what the passing of time decides. */
@Module({ imports: [ConductModule, StandingsModule], providers: [TimeLimitsProcessor] })
export class TimeLimitsModule {}
