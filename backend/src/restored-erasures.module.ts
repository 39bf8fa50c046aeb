import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { RestoredErasuresModule } from './modules/my-data/restored-erasures.module';
import { ReadModelsModule } from './read-models.module';

/**
 * All modules of the check after the restore of a backup. It compares the database with the ledger of erasures, to find
 * users who were erased after the backup was made.
 */
@Module({})
export class RestoredErasuresCommandModule {
  static forRoot(environment: Environment): DynamicModule {
    return {
      module: RestoredErasuresCommandModule,
      imports: [EnvironmentModule.forRoot(environment), ReadModelsModule, RestoredErasuresModule],
    };
  }
}
