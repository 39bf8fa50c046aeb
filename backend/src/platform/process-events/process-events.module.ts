import { type DynamicModule, Global, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { processEventNames, transactionEventNames } from './process-event-map';
import { ProcessEvents } from './process-events';

/** Events inside the process. */
@Global()
@Module({ providers: [ProcessEvents], exports: [ProcessEvents] })
export class ProcessEventsModule {
  /** For a process that must react to every event: start-up fails when a reaction is missing. */
  static complete(): DynamicModule {
    return { module: ProcessEventsModule, imports: [CompletenessCheckModule] };
  }
}

@Module({})
class CompletenessCheckModule implements OnApplicationBootstrap {
  constructor(private readonly events: ProcessEvents) {}

  onApplicationBootstrap(): void {
    this.events.requireReactions(Object.keys(processEventNames), Object.keys(transactionEventNames));
  }
}
