import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/migrations';

/** Whether the database answers, and holds the schema that this build was written for. */
@Injectable()
export class SchemaCheck {
  private isCurrent = false;

  constructor(private readonly dataSource: DataSource) {}

  async isReady(): Promise<boolean> {
    if (this.isCurrent) {
      await this.dataSource.query('SELECT 1');
      return true;
    }
    const rows = await this.dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const present = new Set(rows.map(({ name }) => name));
    // A newer schema than ours is fine: a rolling update migrates before it replaces the replicas.
    this.isCurrent = migrations.every((migration) => present.has(migration.name));
    return this.isCurrent;
  }
}
