import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { createDataSourceOptions, type DatabaseTimeouts, requestTimeouts } from './data-source.config';

/** The connection pool. Modules register their own entities; only migrations change the schema. */
@Module({})
export class DatabaseModule {
  static forRoot(timeouts: DatabaseTimeouts = requestTimeouts): DynamicModule {
    const connection = TypeOrmModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => ({
        ...createDataSourceOptions(environment, timeouts),
        autoLoadEntities: true,
        retryAttempts: 10,
        retryDelay: 1_000,
      }),
    });
    return { module: DatabaseModule, imports: [connection] };
  }
}
