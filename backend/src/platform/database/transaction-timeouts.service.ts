import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntitySubscriberInterface, type TransactionStartEvent } from 'typeorm';
import { workerTimeouts } from './data-source.config';
import { buildTransactionTimeoutsSql } from './database-timeouts.functions';

/**
 * Gives the transactions of a worker more time than the default time-outs of the database role, which suit the requests
 * of users. The time-outs are set in each transaction, because a worker may share the role with api replicas. Behind a
 * transaction pooler, it may share the connections as well.
 */
@Injectable()
export class TransactionTimeoutsService implements OnModuleInit, EntitySubscriberInterface {
  constructor(private readonly dataSource: DataSource) {}

  onModuleInit(): void {
    this.dataSource.subscribers.push(this);
  }

  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query(buildTransactionTimeoutsSql(workerTimeouts));
  }
}
