import { Module } from '@nestjs/common';
import { ImageProcessingService } from './application/image-processing.service';
import { UploadsService } from './application/uploads.service';
import { FilesController } from './transport/files.controller';
import { UploadController } from './transport/upload.controller';
import { UploadRecordsModule } from './upload-records.module';

@Module({
  imports: [UploadRecordsModule],
  controllers: [UploadController, FilesController],
  providers: [ImageProcessingService, UploadsService],
  exports: [UploadsService],
})
export class UploadsModule {}
