import { Module } from '@nestjs/common';
import { UploadRemoval } from './application/upload-removal';
import { UploadSweeper } from './jobs/upload-sweeper';
import { UploadRecordsModule } from './upload-records.module';

/** The part of uploads that runs in the worker. */
@Module({
  imports: [UploadRecordsModule],
  providers: [UploadRemoval, UploadSweeper],
  exports: [UploadRemoval],
})
export class UploadsWorkerModule {}
