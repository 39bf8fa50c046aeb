// Uses real PostgreSQL with a copy of a database, real Redis, a folder of files, api replicas and the modules of two
// workers.
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { loadEnvironment } from '../../config/environment.config';
import { JobWorkerService } from '../../platform/queue/job-worker.service';
import { RestoredErasuresCommandModule } from '../../restored-erasures.module';
import { dumpTables, startTestErasures, type TestErasures } from '../../testing/erasure.fixture';
import type { ThawVisitor } from '../../testing/thaw.client';
import { ErasureRequestService } from './application/erasure-request.service';
import { RestoredErasuresService } from './application/restored-erasures.service';
import { ErasureProcessor } from './jobs/erasure.processor';
import { ErasureService } from './jobs/erasure.service';

jest.setTimeout(60_000);

describe('a restored backup', () => {
  let erasures: TestErasures;
  let backupUrl: string;
  let openBackup: DataSource | undefined;

  const startWorker = async (settings: Record<string, string> = {}): Promise<INestApplicationContext> => {
    const { app } = await erasures.stack.startWorker(settings);
    // The test runs the jobs itself.
    await app.get(JobWorkerService).close();
    return app;
  };
  const rename = (visitor: ThawVisitor, username: string) =>
    visitor.call('PUT', `/api/user/${visitor.user.id}`, { username, avatar: null });
  /**
   * Finds the erasures that the ledger contains but the backup does not, and requests them again, as `main.migrate`
   * does. The ledger is stored outside the database.
   * @returns the number of users whose erasure is requested again.
   */
  const requestErasuresAgain = async (): Promise<number> => {
    const environment = loadEnvironment({
      ...erasures.settings,
      DATABASE_URL: backupUrl,
      REDIS_URL: erasures.stack.store.url,
    });
    const app = await NestFactory.createApplicationContext(
      RestoredErasuresCommandModule.forRoot(environment),
      { logger: false },
    );
    const count = await app.get(RestoredErasuresService).requestAgain();
    await app.close();
    return count;
  };

  // Not `beforeAll`: the test stops its replica, so a retry of the test needs a new stack.
  beforeEach(async () => {
    erasures = await startTestErasures(1);
  });
  afterEach(async () => {
    await openBackup?.destroy();
    await erasures.close();
  });

  it('loses the users who were erased after the backup, and no others', async () => {
    const { stack } = erasures;
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    await rename(ada, 'zz-erased-name');
    await rename(bob, 'zz-kept-name');
    await stack.replicas[0]!.stop();
    const url = new URL(stack.database.url);
    const databaseName = url.pathname.slice(1);
    const backupName = `${databaseName}_backup`;
    backupUrl = Object.assign(new URL(url), { pathname: `/${backupName}` }).toString();
    const server = new DataSource({
      type: 'postgres',
      url: Object.assign(new URL(url), { pathname: '/postgres' }).toString(),
    });
    await server.initialize();
    // PostgreSQL copies only a database without connections.
    await stack.database.dataSource.destroy();
    await server.query(`CREATE DATABASE "${backupName}" TEMPLATE "${databaseName}"`);
    await stack.database.dataSource.initialize();

    const worker = await startWorker();
    const erasureId = await worker.get(ErasureRequestService).request(ada.user.id, 'asked');
    expect(await worker.get(ErasureService).run(erasureId)).toBe(true);
    const backup = await new DataSource({ type: 'postgres', url: backupUrl }).initialize();
    openBackup = backup;
    const backupContains = async (text: string) =>
      [...(await dumpTables(backup)).values()].some((rows) => rows.includes(text));
    expect(await backupContains('zz-erased-name')).toBe(true);

    expect(await requestErasuresAgain()).toBe(1);
    // The erasure is requested already.
    expect(await requestErasuresAgain()).toBe(0);
    const workerOfBackup = await startWorker({ DATABASE_URL: backupUrl });
    await workerOfBackup.get(ErasureProcessor).resume();
    expect(await backupContains('zz-erased-name')).toBe(false);
    expect(await backupContains('zz-kept-name')).toBe(true);
    const [row] = await backup.query('SELECT id, reason, finished_at FROM erasures');
    // An erasure that is requested again has the reason `operator`, whatever its first reason was.
    expect(row).toEqual({ id: erasureId, reason: 'operator', finished_at: expect.any(Date) });
    await server.destroy();
  });
});
