import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EventPartitioning } from './partitioned-events/event-partitioning.model';

/**
 * Partitions the event log and the personal data of its events by stream, while the service of the previous release
 * runs (docs/decisions/0078). The migration may be interrupted at any point, and continues when it is run again.
 */
export class PartitionedEvents1763640960000 implements MigrationInterface {
  readonly name = 'PartitionedEvents1763640960000';
  /** The migration consists of many short transactions. */
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await new EventPartitioning(queryRunner).run();
  }

  async down(): Promise<void> {
    throw new Error('The partitioning of the event log cannot be reverted');
  }
}
