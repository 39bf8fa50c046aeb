import { type DynamicModule, Global, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { processEventNames, transactionEventNames } from './process-event-map.types';
import { ProcessEventsService } from './process-events.service';

/** Typed events inside one process. Providers react to them in methods with `@OnProcessEvent` or `@InTransaction`. */
@Global()
@Module({ providers: [ProcessEventsService], exports: [ProcessEventsService] })
export class ProcessEventsModule {
  /** For processes that must react to every event: start-up fails when an event has no reaction. */
  static withCompletenessCheck(): DynamicModule {
    return { module: ProcessEventsModule, imports: [CompletenessCheckModule] };
  }
}

@Module({})
class CompletenessCheckModule implements OnApplicationBootstrap {
  constructor(private readonly events: ProcessEventsService) {}

  onApplicationBootstrap(): void {
    this.events.requireReactions(Object.keys(processEventNames), Object.keys(transactionEventNames));
  }
}
