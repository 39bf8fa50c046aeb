import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
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
  constructor(projections: ProjectionRegistry) {
    projections.register(imageUseProjection);
  }
}
