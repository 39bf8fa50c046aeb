import { Global, Module, Optional } from '@nestjs/common';
import { MetricsRegistry } from '../observability/metrics.registry';
import { CommandExecutorService } from './command-executor.service';
import { EventStoreRepository } from './event-store.repository';
import { EventTypeRegistry } from './event-type.registry';
import { ExpiryHandlerRegistry } from './expiry-handler.registry';
import { PersonalDataRepository } from './personal-data.repository';
import { ProjectionRebuildService } from './projection-rebuild.service';
import { ProjectionRegistry } from './projection.registry';

@Global()
@Module({
  providers: [
    EventStoreRepository,
    EventTypeRegistry,
    ProjectionRegistry,
    CommandExecutorService,
    ExpiryHandlerRegistry,
    PersonalDataRepository,
    ProjectionRebuildService,
  ],
  exports: [
    EventStoreRepository,
    EventTypeRegistry,
    ProjectionRegistry,
    CommandExecutorService,
    ExpiryHandlerRegistry,
    PersonalDataRepository,
    ProjectionRebuildService,
  ],
})
export class EventStoreModule {
  /** @param metrics undefined in the operators' programs, which serve no metrics */
  constructor(eventStore: EventStoreRepository, @Optional() metrics?: MetricsRegistry) {
    metrics?.addLiveCounter(
      'thaw_event_append_conflicts_total',
      'Appends of this process that were refused because another writer was first',
      () => eventStore.conflictCount,
    );
  }
}
