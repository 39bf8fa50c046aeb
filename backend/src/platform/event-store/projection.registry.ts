import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { StoredEvent } from './stored-event.types';

/** Applies events to a read model, inside the transaction that appends them. */
export interface Projection {
  readonly name: string;
  /** The tables that only this projection writes. A rebuild replaces these tables with new ones, and no others. */
  readonly tables: readonly string[];
  /**
   * For a projection without tables: a rebuild passes all events to it again. Users append new events meanwhile, so it
   * must not undo what a later event has changed.
   */
  readonly isRepeatable?: true;
  /** The event types that are passed to `apply`. */
  readonly handles: readonly string[];
  /** Whether an event of a handled type changes this read model; if absent, every one does. */
  concerns?(event: Pick<StoredEvent, 'type' | 'data'>): boolean;
  /**
   * @param isRebuild whether a rebuild passes the events. It passes them by position, which may differ from the order
   * of their commits: a user may get an e-mail address before the event in which another user gives it up. The
   * projection then has to take the address, or any other unique value, from the other user.
   */
  apply(events: readonly StoredEvent[], manager: EntityManager, isRebuild?: boolean): Promise<void>;
}

/** The projections of this process. */
@Injectable()
export class ProjectionRegistry {
  private readonly projections: Projection[] = [];

  /** @throws Error when another projection writes one of the tables. */
  register(projection: Projection): void {
    const registeredTables = this.projections.flatMap(({ tables }) => tables);
    const sharedTable = projection.tables.find((table) => registeredTables.includes(table));
    if (sharedTable) throw new Error(`Table ${sharedTable} would be written by two projections`);
    this.projections.push(projection);
  }

  list(): readonly Projection[] {
    return this.projections;
  }

  /** Passes each projection the new events that it handles, in order. */
  async apply(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    await applyTo(this.projections, events, manager, { isRebuild: false });
  }

  /** Passes the events of a rebuild to the projections that have tables. */
  async rebuildTables(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    const withTables = this.projections.filter(({ tables }) => tables.length > 0);
    await applyTo(withTables, events, manager, { isRebuild: true });
  }

  /** Passes the events of a rebuild to the repeatable projections, which have no tables. */
  async applyAgain(events: readonly StoredEvent[], manager: EntityManager): Promise<void> {
    const repeatable = this.projections.filter(({ isRepeatable }) => isRepeatable);
    await applyTo(repeatable, events, manager, { isRebuild: true });
  }

  /**
   * Returns the projections that an event concerns, except the one called `name`, whose read model the caller writes
   * itself.
   */
  findOtherProjections(name: string, event: Pick<StoredEvent, 'type' | 'data'>): readonly Projection[] {
    return this.projections.filter(
      (projection) => projection.name !== name && handlesEvent(projection, event),
    );
  }
}

const applyTo = async (
  projections: readonly Projection[],
  events: readonly StoredEvent[],
  manager: EntityManager,
  { isRebuild }: { isRebuild: boolean },
): Promise<void> => {
  for (const projection of projections) {
    const handled = events.filter((event) => handlesEvent(projection, event));
    if (handled.length > 0) await projection.apply(handled, manager, isRebuild);
  }
};

const handlesEvent = (projection: Projection, event: Pick<StoredEvent, 'type' | 'data'>): boolean =>
  projection.handles.includes(event.type) && (projection.concerns?.(event) ?? true);
