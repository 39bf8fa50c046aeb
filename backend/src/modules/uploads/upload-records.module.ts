import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Projections } from '../../platform/event-store/projection';
import { UploadEntity } from './infrastructure/upload.entity';
import { UploadRepository } from './infrastructure/upload.repository';
import { imageUseProjection } from './projections/image-use.projection';

/** What has to be there wherever the log is written: the table of images, and which of them are in use. */
@Module({
  imports: [TypeOrmModule.forFeature([UploadEntity])],
  providers: [UploadRepository],
  exports: [UploadRepository],
})
export class UploadRecordsModule {
  constructor(projections: Projections) {
    projections.register(imageUseProjection);
  }
}
