import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { ImageBlocksService } from './application/image-blocks.service';
import { BlockedImageEntity } from './infrastructure/blocked-image.entity';
import { BlockedImageRepository } from './infrastructure/blocked-image.repository';
import { imageBlockEventTypes, imageBlocksProjection } from './projections/image-blocks.projection';

/**
 * Event types, projection and table of the images that no user can upload, for every process that reads or writes the
 * event log. Depends on the platform only.
 */
@Module({
  imports: [TypeOrmModule.forFeature([BlockedImageEntity])],
  providers: [BlockedImageRepository, ImageBlocksService],
  exports: [ImageBlocksService],
})
export class ImageBlocksModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(imageBlockEventTypes);
    projections.register(imageBlocksProjection);
  }
}
