import { Module } from '@nestjs/common';
import { UploadsWorkerModule } from '../uploads/uploads-worker.module';
import { EvidenceExpiryService } from './jobs/evidence-expiry.service';

/** What the worker does when evidence expires. */
@Module({ imports: [UploadsWorkerModule], providers: [EvidenceExpiryService] })
export class EvidenceExpiryModule {}
