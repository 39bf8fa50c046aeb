import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { StoredEvent } from './stored-event';

/** Events to a read model, inside the transaction that appends them. */
export interface Projection {
  readonly name: string;
  /** The tables it alone writes; a rebuild empties them. */
  readonly tables: readonly string[];
  /** The event types it wants to see. */
  readonly handles: readonly string[];
  apply(events: readonly StoredEvent[], manager: EntityManager): Promise<void>;
}

@Injectable()
export class Projections {
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
  async apply(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    for (const projection of this.projections) {
      const wanted = events.filter(({ type }) => projection.handles.includes(type));
      if (wanted.length > 0) await projection.apply(wanted, manager);
    }
  }
}
