import { Module } from '@nestjs/common';
import { ImageBlocksModule } from '../image-blocks/image-blocks.module';
import { HeldImagesService } from './application/held-images.service';
import { ImageProcessingService } from './application/image-processing.service';
import { UploadsService } from './application/uploads.service';
import { FilesController } from './transport/files.controller';
import { UploadController } from './transport/upload.controller';
import { UploadRecordsModule } from './upload-records.module';

@Module({
  imports: [UploadRecordsModule, ImageBlocksModule],
  controllers: [UploadController, FilesController],
  providers: [HeldImagesService, ImageProcessingService, UploadsService],
  exports: [HeldImagesService, UploadsService],
})
export class UploadsModule {}
