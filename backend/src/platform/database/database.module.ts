import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../../config/environment';
import { dataSourceOptions } from './data-source-options';

/** The connection pool. Entities come with the modules that own them; the schema comes from migrations alone. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => ({
        ...dataSourceOptions(environment),
        autoLoadEntities: true,
        retryAttempts: 10,
        retryDelay: 1_000,
      }),
    }),
  ],
})
export class DatabaseModule {}
