import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { dataSourceOptions, type DatabaseTimeouts, requestTimeouts } from './data-source.config';

/** The connection pool. Entities come with the modules that own them; the schema comes from migrations alone. */
@Module({})
export class DatabaseModule {
  static forRoot(timeouts: DatabaseTimeouts = requestTimeouts): DynamicModule {
    const connection = TypeOrmModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => ({
        ...dataSourceOptions(environment, timeouts),
        autoLoadEntities: true,
        retryAttempts: 10,
        retryDelay: 1_000,
      }),
    });
    return { module: DatabaseModule, imports: [connection] };
  }
}
