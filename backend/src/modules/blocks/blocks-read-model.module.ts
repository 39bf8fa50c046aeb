import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { ProjectionRegistry } from '../../platform/event-store/projection.registry';
import { BlockErasureService } from './application/block-erasure.service';
import { BlockListService } from './application/block-list.service';
import { BlockEntity } from './infrastructure/block.entity';
import { BlockRepository } from './infrastructure/block.repository';
import { blockEventTypes, blocksProjection } from './projections/blocks.projection';

/**
 * Event types, projection, table, queries and erasure of blocks. Depends on the platform only, so any module can import
 * it.
 */
@Module({
  imports: [TypeOrmModule.forFeature([BlockEntity])],
  providers: [BlockRepository, BlockListService, BlockErasureService],
  exports: [BlockRepository, BlockListService, BlockErasureService],
})
export class BlocksReadModelModule {
  constructor(eventTypes: EventTypeRegistry, projections: ProjectionRegistry) {
    eventTypes.register(blockEventTypes);
    projections.register(blocksProjection);
  }
}
