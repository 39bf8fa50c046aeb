import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import {
  createDataSourceOptions,
  type DatabaseTimeouts,
  operatorTimeouts,
  requestTimeouts,
  workerTimeouts,
} from './data-source.config';
import { MetricsRegistry } from '../observability/metrics.registry';
import { ReadReplicaService } from './read-replica.service';
import { TransactionTimeoutsService } from './transaction-timeouts.service';

/** The connection pool. Modules register their own entities; only migrations change the schema. */
@Module({})
export class DatabaseModule {
  /** For processes that answer requests. */
  static forRoot(): DynamicModule {
    return createModule(requestTimeouts, { readsFromReplica: true });
  }

  /**
   * For operators' commands. Transactions that need long switch off PostgreSQL's time-out of statements, so the driver
   * waits up to a day. All other statements have the time-outs of the database role.
   */
  static forOperator(): DynamicModule {
    return createModule(operatorTimeouts);
  }

  /** For workers. `TransactionTimeoutsService` gives their transactions more time. */
  static forWorker(): DynamicModule {
    return createModule(workerTimeouts, { providers: [TransactionTimeoutsService] });
  }
}

interface ModuleOptions {
  /** Whether `ReadReplicaService` uses the read replica, if there is one. By default it reads from the primary. */
  readsFromReplica?: boolean;
  providers?: Provider[];
}

const createModule = (
  timeouts: DatabaseTimeouts,
  { readsFromReplica = false, providers = [] }: ModuleOptions = {},
): DynamicModule => ({
  module: DatabaseModule,
  global: true,
  imports: [createConnectionModule(timeouts)],
  providers: [
    ...providers,
    {
      provide: ReadReplicaService,
      inject: [DataSource, ENVIRONMENT, { token: MetricsRegistry, optional: true }],
      useFactory: (primary: DataSource, environment: Environment, metrics?: MetricsRegistry) => {
        // Without a URL, the service reads from the primary.
        const url = readsFromReplica ? environment.READ_DATABASE_URL : undefined;
        return new ReadReplicaService(primary, environment, url, metrics);
      },
    },
  ],
  exports: [ReadReplicaService],
});

const createConnectionModule = (timeouts: DatabaseTimeouts): DynamicModule =>
  TypeOrmModule.forRootAsync({
    inject: [ENVIRONMENT],
    useFactory: (environment: Environment) => ({
      ...createDataSourceOptions(environment, timeouts),
      autoLoadEntities: true,
      retryAttempts: 10,
      retryDelay: 1_000,
    }),
  });
