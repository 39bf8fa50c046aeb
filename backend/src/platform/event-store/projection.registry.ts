import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { StoredEvent } from './stored-event.types';

/** Applies events to a read model, inside the transaction that appends them. */
export interface Projection {
  readonly name: string;
  /** The tables that only this projection writes; a rebuild writes new ones. Other tables are not rebuilt. */
  readonly tables: readonly string[];
  /**
   * For a projection without tables: a rebuild applies it as well, while users append events. It must not undo what a
   * later event has changed.
   */
  readonly isRepeatable?: true;
  /** The event types that are passed to `apply`. */
  readonly handles: readonly string[];
  /** Whether an event of these types changes this read model; defaults to true. */
  concerns?(event: Pick<StoredEvent, 'type' | 'data'>): boolean;
  /**
   * @param isRebuild events come in order of position, which may differ from the order of their commits: a unique value
   * may temporarily appear to be taken, in which case the later owner is correct.
   */
  apply(events: readonly StoredEvent[], manager: EntityManager, isRebuild?: boolean): Promise<void>;
}

@Injectable()
export class ProjectionRegistry {
  private readonly projections: Projection[] = [];

  register(projection: Projection): void {
    const owned = this.projections.flatMap(({ tables }) => tables);
    const shared = projection.tables.find((table) => owned.includes(table));
    if (shared) throw new Error(`Table ${shared} would be written by two projections`);
    this.projections.push(projection);
  }

  list(): readonly Projection[] {
    return this.projections;
  }

  /** Passes each projection the events that it handles, in order. */
  async apply(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    await applyTo(this.projections, events, manager, false);
  }

  /** Applies the projections that own tables, in a rebuild. */
  async rebuildTables(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    const owners = this.projections.filter(({ tables }) => tables.length > 0);
    await applyTo(owners, events, manager, true);
  }

  /** Applies the projections without tables that are repeatable, in a rebuild. */
  async repeat(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    const repeatable = this.projections.filter(({ isRepeatable }) => isRepeatable);
    await applyTo(repeatable, events, manager, true);
  }

  /** Returns the projections that an event concerns, except the named one. */
  findOthersFor(name: string, event: Pick<StoredEvent, 'type' | 'data'>): readonly Projection[] {
    return this.projections.filter(
      (projection) => projection.name !== name && handlesEvent(projection, event),
    );
  }
}

const applyTo = async (
  projections: readonly Projection[],
  events: readonly StoredEvent[],
  manager: EntityManager,
  isRebuild: boolean,
): Promise<void> => {
  for (const projection of projections) {
    const wanted = events.filter((event) => handlesEvent(projection, event));
    if (wanted.length > 0) await projection.apply(wanted, manager, isRebuild);
  }
};

const handlesEvent = (projection: Projection, event: Pick<StoredEvent, 'type' | 'data'>): boolean =>
  projection.handles.includes(event.type) && (projection.concerns?.(event) ?? true);
