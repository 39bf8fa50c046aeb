import { Module } from '@nestjs/common';
import { UploadRemovalService } from './application/upload-removal.service';
import { UploadSweepProcessor } from './jobs/upload-sweep.processor';
import { HeldImagesModule } from './held-images.module';
import { UploadRecordsModule } from './upload-records.module';

/** The part of uploads that runs in the worker. */
@Module({
  imports: [HeldImagesModule, UploadRecordsModule],
  providers: [UploadRemovalService, UploadSweepProcessor],
  exports: [HeldImagesModule, UploadRemovalService],
})
export class UploadsWorkerModule {}
