import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/migration.registry';

/** Checks that the database responds and has every migration of this build. */
@Injectable()
export class SchemaCheckService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Whether every migration of this build has run. Not cached, because a restored backup may have an older schema.
   * @throws when PostgreSQL is unavailable.
   */
  async isReady(): Promise<boolean> {
    const rows = await this.dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const applied = new Set(rows.map(({ name }) => name));
    // A newer schema is accepted: a rolling update migrates before it replaces the processes.
    return migrations.every((migration) => applied.has(migration.name));
  }
}
