import { Module } from '@nestjs/common';
import { HeldImagesService } from './application/held-images.service';
import { UploadRemovalService } from './application/upload-removal.service';
import { UploadSweepProcessor } from './jobs/upload-sweep.processor';
import { UploadRecordsModule } from './upload-records.module';

/** The part of uploads that runs in the worker. */
@Module({
  imports: [UploadRecordsModule],
  providers: [HeldImagesService, UploadRemovalService, UploadSweepProcessor],
  exports: [HeldImagesService, UploadRemovalService],
})
export class UploadsWorkerModule {}
