import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import {
  createDataSourceOptions,
  type DatabaseTimeouts,
  operatorTimeouts,
  requestTimeouts,
  workerTimeouts,
} from './data-source.config';
import { TransactionTimeoutsService } from './transaction-timeouts.service';

/** The connection pool. Modules register their own entities; only migrations change the schema. */
@Module({})
export class DatabaseModule {
  /** For processes that answer requests. */
  static forRoot(): DynamicModule {
    return { module: DatabaseModule, imports: [connect(requestTimeouts)] };
  }

  /** For operators' commands. The role's time-outs hold unless a transaction sets others. */
  static forOperator(): DynamicModule {
    return { module: DatabaseModule, imports: [connect(operatorTimeouts)] };
  }

  /** For workers, whose transactions may take longer. */
  static forWorker(): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [connect(workerTimeouts)],
      providers: [TransactionTimeoutsService],
    };
  }
}

const connect = (timeouts: DatabaseTimeouts): DynamicModule =>
  TypeOrmModule.forRootAsync({
    inject: [ENVIRONMENT],
    useFactory: (environment: Environment) => ({
      ...createDataSourceOptions(environment, timeouts),
      autoLoadEntities: true,
      retryAttempts: 10,
      retryDelay: 1_000,
    }),
  });
