import { Module } from '@nestjs/common';
import { EvidenceModule } from './evidence.module';
import { FindingsProcessor } from './jobs/findings.processor';
import { FindingRepository } from './infrastructure/finding.repository';

/** Raises, in the worker, the findings about stated ages that an api replica could not raise. */
@Module({ imports: [EvidenceModule], providers: [FindingRepository, FindingsProcessor] })
export class FindingsWorkerModule {}
