import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InheritedSanctionsIndex1763640906000 implements MigrationInterface {
  readonly name = 'InheritedSanctionsIndex1763640906000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The sanctions that end with their source.
      CREATE INDEX sanctions_inherited_idx ON sanctions (inherited_from) WHERE inherited_from IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX sanctions_inherited_idx');
  }
}
