import { Module } from '@nestjs/common';
import { HeldImagesService } from './application/held-images.service';
import { UploadRecordsModule } from './upload-records.module';

/** Images that are evidence in cases. Both the api and the worker import it. */
@Module({ imports: [UploadRecordsModule], providers: [HeldImagesService], exports: [HeldImagesService] })
export class HeldImagesModule {}
