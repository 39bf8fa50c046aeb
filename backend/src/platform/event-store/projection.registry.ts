import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { StoredEvent } from './stored-event.types';

/** Events to a read model, inside the transaction that appends them. */
export interface Projection {
  readonly name: string;
  /** The tables it alone writes; a rebuild empties them. */
  readonly tables: readonly string[];
  /** The event types it wants to see. */
  readonly handles: readonly string[];
  /** Whether one of them changes anything here, where that can be told by the event alone. */
  concerns?(event: Pick<StoredEvent, 'type' | 'data'>): boolean;
  /**
   * @param isRebuild the events come in the order of their positions, which is not always the order in which they were
   * committed: a unique value may seem taken for a moment, and then its last owner is the right one.
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

  all(): readonly Projection[] {
    return this.projections;
  }

  /** Hands each projection the events it wants, in order. */
  async apply(events: readonly StoredEvent[], manager: EntityManager, isRebuild = false): Promise<void> {
    for (const projection of this.projections) {
      const wanted = events.filter((event) => isFor(projection, event));
      if (wanted.length > 0) await projection.apply(wanted, manager, isRebuild);
    }
  }

  /** Those that an event changes something in, but for one by name. */
  besides(name: string, event: Pick<StoredEvent, 'type' | 'data'>): readonly Projection[] {
    return this.projections.filter((projection) => projection.name !== name && isFor(projection, event));
  }
}

const isFor = (projection: Projection, event: Pick<StoredEvent, 'type' | 'data'>): boolean =>
  projection.handles.includes(event.type) && (projection.concerns?.(event) ?? true);
