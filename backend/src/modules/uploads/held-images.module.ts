import { Module } from '@nestjs/common';
import { HeldImagesService } from './application/held-images.service';
import { UploadRecordsModule } from './upload-records.module';

/** Images that are evidence, for every process. */
@Module({ imports: [UploadRecordsModule], providers: [HeldImagesService], exports: [HeldImagesService] })
export class HeldImagesModule {}
