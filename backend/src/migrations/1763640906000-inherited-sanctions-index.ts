import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../platform/database/concurrent-index.functions';

export class InheritedSanctionsIndex1763640906000 implements MigrationInterface {
  readonly name = 'InheritedSanctionsIndex1763640906000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // For the search for inherited sanctions, each of which ends with the sanction from which it was inherited.
    await createIndexConcurrently(
      queryRunner,
      'sanctions_inherited_idx',
      'sanctions (inherited_from) WHERE inherited_from IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX sanctions_inherited_idx');
  }
}
