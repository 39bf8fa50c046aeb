import { Module } from '@nestjs/common';
import { ImageBlocksModule } from '../image-blocks/image-blocks.module';
import { ImageClassifierService } from './application/image-classifier.service';
import { ImageProcessingService } from './application/image-processing.service';
import { UploadsService } from './application/uploads.service';
import { FilesController } from './transport/files.controller';
import { UploadController } from './transport/upload.controller';
import { HeldImagesModule } from './held-images.module';
import { UploadRecordsModule } from './upload-records.module';

@Module({
  imports: [HeldImagesModule, UploadRecordsModule, ImageBlocksModule],
  controllers: [UploadController, FilesController],
  providers: [ImageClassifierService, ImageProcessingService, UploadsService],
  exports: [HeldImagesModule, UploadsService],
})
export class UploadsModule {}
