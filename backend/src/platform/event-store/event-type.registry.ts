import { Injectable } from '@nestjs/common';
import { UnknownEventError } from './event-store.errors';

type EventData = Record<string, unknown>;

export interface EventTypeDefinition {
  type: string;
  /** Version of the shape of `data`, from 1. Data of earlier versions is upcast when it is read. */
  schemaVersion: number;
  /** By version: a function that converts data of this version to the next. Erased personal fields may be absent. */
  upcasters?: Readonly<Record<number, (data: EventData) => EventData>>;
  /** Personal fields of `data`, stored beside the log so that they can be erased. */
  personalFields: readonly string[];
  /**
   * Id of the user whose erasure also erases the personal fields. Absent, or null for an event, if there is no such
   * user.
   */
  subjectId?: (data: EventData) => number | null;
  /** How long after the event its personal fields expire. Without it, they do not expire. */
  personalExpiresAfterMs?: number;
}

/** Every event type that this process may append or read. */
@Injectable()
export class EventTypeRegistry {
  private readonly definitions = new Map<string, EventTypeDefinition>();

  /** @throws Error if a type is declared twice or lacks an upcaster for an earlier version. */
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

  list(): EventTypeDefinition[] {
    return [...this.definitions.values()];
  }

  /** @throws UnknownEventError when the type is not declared. */
  get(type: string): EventTypeDefinition {
    const definition = this.definitions.get(type);
    if (!definition) throw new UnknownEventError(type);
    return definition;
  }

  /** Whether this build declares the type, in the given version or a newer one. */
  knows({ type, schemaVersion }: { type: string; schemaVersion: number }): boolean {
    const definition = this.definitions.get(type);
    return definition !== undefined && schemaVersion <= definition.schemaVersion;
  }

  /**
   * @returns an event's data in the current version of its type.
   * @throws UnknownEventError for a type or version of a newer release.
   */
  upcast(type: string, version: number, data: EventData): EventData {
    const definition = this.get(type);
    if (version > definition.schemaVersion) throw new UnknownEventError(type, version);
    return upcast(definition, version, data);
  }

  /**
   * Upcasts an event read from the log. An event of a newer release is returned unchanged, so that its stream can be
   * read; `knows` is false for it.
   */
  upcastEvent<Event extends { type: string; schemaVersion: number; data: EventData }>(event: Event): Event {
    const definition = this.definitions.get(event.type);
    if (!definition || event.schemaVersion >= definition.schemaVersion) return event;
    const data = upcast(definition, event.schemaVersion, event.data);
    return { ...event, schemaVersion: definition.schemaVersion, data };
  }
}

/** Upcasts data of an earlier version to the current version of its type. */
export const upcast = (definition: EventTypeDefinition, version: number, data: EventData): EventData => {
  let current = data;
  for (let from = version; from < definition.schemaVersion; from += 1) {
    // `register` has checked that no upcaster is missing.
    current = definition.upcasters?.[from]?.(current) ?? current;
  }
  return current;
};
