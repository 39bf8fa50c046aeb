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
  /** Returns the user whose erasure also erases the personal fields; null if there is none. Absent: always none. */
  subjectId?: (data: EventData) => number | null;
  /** How long after the event its personal fields expire. Absent: they do not expire. */
  personalExpiresAfterMs?: number;
}

/** Every event type that this process may append or read. Modules declare their types at start-up by `register`. */
@Injectable()
export class EventTypeRegistry {
  private readonly definitions = new Map<string, EventTypeDefinition>();

  /** @throws Error if a type is declared twice or lacks an upcaster for an earlier version. */
  register(definitions: readonly EventTypeDefinition[]): void {
    for (const definition of definitions) {
      const { type } = definition;
      if (this.definitions.has(type)) throw new Error(`Event type ${type} is declared twice`);
      requireUpcasters(definition);
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
    return upcastData(definition, version, data);
  }

  /**
   * Upcasts an event read from the log. An event of a newer release is returned unchanged, so that its stream can be
   * read; `knows` is false for it.
   */
  upcastEvent<Event extends { type: string; schemaVersion: number; data: EventData }>(event: Event): Event {
    const definition = this.definitions.get(event.type);
    if (!definition || event.schemaVersion >= definition.schemaVersion) return event;
    const data = upcastData(definition, event.schemaVersion, event.data);
    return { ...event, schemaVersion: definition.schemaVersion, data };
  }
}

const requireUpcasters = ({ type, schemaVersion, upcasters }: EventTypeDefinition): void => {
  for (let version = 1; version < schemaVersion; version += 1) {
    if (!upcasters?.[version]) throw new Error(`Event type ${type} has no upcaster for version ${version}`);
  }
};

/**
 * Upcasts data, one version after the other, to the current version of its type.
 * @param version the version of `data`. Data of the current or a newer version is returned unchanged.
 */
export const upcastData = (
  { schemaVersion, upcasters }: EventTypeDefinition,
  version: number,
  data: EventData,
): EventData => {
  let current = data;
  for (let from = version; from < schemaVersion; from += 1) {
    // Always found, because `register` has checked it.
    const upcaster = upcasters?.[from];
    if (upcaster) current = upcaster(current);
  }
  return current;
};
