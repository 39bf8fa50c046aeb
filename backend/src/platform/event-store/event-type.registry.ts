import { Injectable } from '@nestjs/common';
import { UnknownEventError } from './event-store.errors';

type EventData = Record<string, unknown>;

export interface EventTypeDefinition {
  type: string;
  /** Version of the shape of `data`, from 1. What was written in an earlier one is upcast when it is read. */
  schemaVersion: number;
  /** For each earlier version: its data, in the shape of the next version. Fields may be absent: they were erased. */
  upcasters?: Readonly<Record<number, (data: EventData) => EventData>>;
  /** Fields of `data` that are personal: kept apart from the log, so that they can be erased. */
  personalFields: readonly string[];
  /** Whom the personal fields are about. */
  subjectId?: (data: EventData) => number | null;
  /** Personal fields are dropped this long after they were recorded, whatever else happens. */
  personalExpiresAfterMs?: number;
}

/** Every event type that this process may append or read. */
@Injectable()
export class EventTypeRegistry {
  private readonly definitions = new Map<string, EventTypeDefinition>();

  /** @throws Error when a type is declared twice, or cannot be read in one of its earlier versions. */
  register(definitions: readonly EventTypeDefinition[]): void {
    for (const definition of definitions) {
      const { type, schemaVersion, upcasters } = definition;
      if (this.definitions.has(type)) throw new Error(`Event type ${type} is declared twice`);
      for (let version = 1; version < schemaVersion; version += 1) {
        if (!upcasters?.[version])
          throw new Error(`Event type ${type} has no upcaster for version ${version}`);
      }
      this.definitions.set(type, definition);
    }
  }

  all(): EventTypeDefinition[] {
    return [...this.definitions.values()];
  }

  /** @throws UnknownEventError when the type is not declared. */
  get(type: string): EventTypeDefinition {
    const definition = this.definitions.get(type);
    if (!definition) throw new UnknownEventError(type);
    return definition;
  }

  /** Whether this build knows the type, and no older version of it than the given one. */
  knows({ type, schemaVersion }: { type: string; schemaVersion: number }): boolean {
    return schemaVersion <= (this.definitions.get(type)?.schemaVersion ?? 0);
  }

  /**
   * @returns an event's data in the present shape of its type.
   * @throws UnknownEventError for a type or a version of a newer release.
   */
  upcast(type: string, version: number, data: EventData): EventData {
    const definition = this.get(type);
    if (version > definition.schemaVersion) throw new UnknownEventError(type, version);
    return upcast(definition, version, data);
  }

  /**
   * An event as it is read from the log. What a newer release has written is left as it is: see `knows`.
   */
  present<Event extends { type: string; schemaVersion: number; data: EventData }>(event: Event): Event {
    const definition = this.definitions.get(event.type);
    if (!definition || event.schemaVersion >= definition.schemaVersion) return event;
    const data = upcast(definition, event.schemaVersion, event.data);
    return { ...event, schemaVersion: definition.schemaVersion, data };
  }
}

/** Data of an earlier version of a type, in the shape of its present version. */
export const upcast = (definition: EventTypeDefinition, version: number, data: EventData): EventData => {
  let current = data;
  for (let from = version; from < definition.schemaVersion; from += 1) {
    current = definition.upcasters?.[from]?.(current) ?? current;
  }
  return current;
};
