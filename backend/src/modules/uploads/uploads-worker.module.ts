import { Module } from '@nestjs/common';
import { UploadRemovalService } from './application/upload-removal.service';
import { UploadSweepProcessor } from './jobs/upload-sweep.processor';
import { UploadRecordsModule } from './upload-records.module';

/** The part of uploads that runs in the worker. */
@Module({
  imports: [UploadRecordsModule],
  providers: [UploadRemovalService, UploadSweepProcessor],
  exports: [UploadRemovalService],
})
export class UploadsWorkerModule {}
