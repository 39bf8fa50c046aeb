import { Module } from '@nestjs/common';
import { EvidenceModule } from './evidence.module';
import { FindingsProcessor } from './jobs/findings.processor';
import { FindingRepository } from './infrastructure/finding.repository';

/** The worker's part of findings: those that a replica could not raise. */
@Module({ imports: [EvidenceModule], providers: [FindingRepository, FindingsProcessor] })
export class FindingsWorkerModule {}
