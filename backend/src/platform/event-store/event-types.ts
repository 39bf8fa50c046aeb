import { Injectable } from '@nestjs/common';

export interface EventTypeDefinition {
  type: string;
  schemaVersion: number;
  /** Fields of `data` that are personal: kept apart from the log, so that they can be erased. */
  personalFields: readonly string[];
  /** Whom the personal fields are about. */
  subjectId?: (data: Record<string, unknown>) => number | null;
  /** Personal fields are dropped this long after they were recorded, whatever else happens. */
  personalExpiresAfterMs?: number;
}

/** Every event type that this process may append or read. */
@Injectable()
export class EventTypes {
  private readonly definitions = new Map<string, EventTypeDefinition>();

  /** @throws Error when a type is declared twice. */
  register(definitions: readonly EventTypeDefinition[]): void {
    for (const definition of definitions) {
      if (this.definitions.has(definition.type))
        throw new Error(`Event type ${definition.type} is declared twice`);
      this.definitions.set(definition.type, definition);
    }
  }

  /** @throws Error when nobody declared the type. */
  get(type: string): EventTypeDefinition {
    const definition = this.definitions.get(type);
    if (!definition) throw new Error(`Event type ${type} is not declared`);
    return definition;
  }
}
