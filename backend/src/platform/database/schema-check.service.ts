import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/migration.registry';

/** Whether the database answers, and holds the schema that this build was written for. */
@Injectable()
export class SchemaCheckService {
  constructor(private readonly dataSource: DataSource) {}

  /** Asked each time: a restored backup may hold an earlier schema than the one that was there before. */
  async isReady(): Promise<boolean> {
    const rows = await this.dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const present = new Set(rows.map(({ name }) => name));
    // A newer schema than ours is fine: a rolling update migrates before it replaces the processes.
    return migrations.every((migration) => present.has(migration.name));
  }
}
