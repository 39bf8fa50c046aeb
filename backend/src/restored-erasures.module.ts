import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { RestoredErasuresModule } from './modules/my-data/restored-erasures.module';
import { ReadModelsModule } from './read-models.module';

/**
 * All modules of a step of the migration command. It compares the database with the ledger of erasures, to find users
 * who are present again because a backup from before their erasure was restored, and requests these erasures again.
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
