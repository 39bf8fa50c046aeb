import { Module } from '@nestjs/common';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { EvidenceExpiryService } from './jobs/evidence-expiry.service';

/** Records the expiry of evidence and releases its images, in the worker. */
@Module({ imports: [UploadsWorkerModule], providers: [EvidenceExpiryService] })
export class EvidenceExpiryModule {}
