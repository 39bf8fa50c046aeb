import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventStoreRepository } from './event-store.repository';
import { ProjectionRegistry } from './projection.registry';

/** Rebuilds every read model from the log. */
@Injectable()
export class ProjectionRebuildService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly eventStore: EventStoreRepository,
    private readonly projections: ProjectionRegistry,
  ) {}

  /**
   * Runs in one transaction: readers see the old read models until the new ones are complete. In the meantime, appends
   * wait for a lock and fail after the lock time-out of the serving processes, so run it when traffic is low.
   * @returns the number of events read.
   */
  async rebuild(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'`);
      await manager.query('LOCK TABLE events IN EXCLUSIVE MODE');
      const tables = this.projections.list().flatMap((projection) => projection.tables);
      if (tables.length > 0) await manager.query(`DELETE FROM ${tables.join('; DELETE FROM ')}`);
      let count = 0;
      for await (const events of this.eventStore.readAll(manager)) {
        await this.projections.apply(events, manager, true);
        count += events.length;
      }
      return count;
    });
  }
}
