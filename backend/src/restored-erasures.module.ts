import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config/environment.config';
import { EnvironmentModule } from './config/environment.module';
import { RestoredErasuresModule } from './modules/my-data/restored-erasures.module';
import { ReadModelsModule } from './read-models.module';

/**
 * All modules of one step of the migration command. The step requests those erasures again that the database lacks but
 * the ledger outside the database has, because a restored backup has brought back the erased users.
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
