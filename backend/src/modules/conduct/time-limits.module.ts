import { Module } from '@nestjs/common';
import { StandingsModule } from '../standings/standings.module';
import { ConductModule } from './conduct.module';
import { TimeLimitsProcessor } from './jobs/time-limits.processor';

/** Applies the time limits of sanctions and flags, in the worker. */
@Module({ imports: [ConductModule, StandingsModule], providers: [TimeLimitsProcessor] })
export class TimeLimitsModule {}
