import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { UploadEntity } from './infrastructure/upload.entity';
import { UploadRepository } from './infrastructure/upload.repository';
import { imageUseProjection } from './projections/image-use.projection';

/** The table of images and the projection that records their use, for every process that writes the event log. */
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
