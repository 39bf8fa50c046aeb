// Uses real PostgreSQL.
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.harness';
import { TransactionTimeoutsService } from './transaction-timeouts.service';

const READ_STATEMENT_TIMEOUT = `SELECT current_setting('statement_timeout') AS value`;

describe('TransactionTimeoutsService', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    // With a single connection, the query after the transaction uses the same one.
    database = await createTestDatabase({ poolSize: 1 });
    new TransactionTimeoutsService(database.dataSource).onModuleInit();
  });
  afterAll(() => database.close());

  it('gives each transaction the statement time-out of workers, until the transaction ends', async () => {
    const { dataSource } = database;
    // `workerTimeouts` sets 10 s.
    expect(await dataSource.transaction((manager) => manager.query(READ_STATEMENT_TIMEOUT))).toEqual([
      { value: '10s' },
    ]);
    // Outside a transaction, the time-out of the database role applies.
    expect(await dataSource.query(READ_STATEMENT_TIMEOUT)).toEqual([{ value: '3s' }]);
  });
});
