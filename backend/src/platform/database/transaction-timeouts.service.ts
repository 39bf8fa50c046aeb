import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntitySubscriberInterface, type TransactionStartEvent } from 'typeorm';
import { workerTimeouts } from './data-source.config';
import { buildTransactionTimeoutsSql } from './database-timeouts.functions';

/**
 * Gives the transactions of a worker more time than the role has by default, which suits the requests of users. It sets
 * the time-outs in each transaction, because the worker may share its role with api replicas, and behind a transaction
 * pooler its connections, too.
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
