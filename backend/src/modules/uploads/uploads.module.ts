import { Module } from '@nestjs/common';
import { ImageProcessor } from './application/image-processor';
import { UploadsService } from './application/uploads.service';
import { FilesController } from './transport/files.controller';
import { UploadController } from './transport/upload.controller';
import { UploadRecordsModule } from './upload-records.module';

@Module({
  imports: [UploadRecordsModule],
  controllers: [UploadController, FilesController],
  providers: [ImageProcessor, UploadsService],
  exports: [UploadsService],
})
export class UploadsModule {}
