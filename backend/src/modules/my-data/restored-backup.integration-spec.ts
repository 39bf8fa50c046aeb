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
  /** Undefined until the test has opened it. */
  let backup: DataSource;

  const startWorker = async (settings: Record<string, string> = {}): Promise<INestApplicationContext> => {
    const { app } = await erasures.stack.startWorker(settings);
    // The test runs the jobs itself.
    await app.get(JobWorkerService).close();
    return app;
  };
  const rename = (visitor: ThawVisitor, username: string) =>
    visitor.call('PUT', `/api/user/${visitor.user.id}`, { username, avatar: null });
  /** Copies the database on the same server. @returns the URL of the copy. */
  const createBackup = async (): Promise<string> => {
    const { replicas, database } = erasures.stack;
    const url = new URL(database.url);
    const databaseName = url.pathname.slice(1);
    const backupName = `${databaseName}_backup`;
    const buildUrl = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).toString();
    const server = await new DataSource({ type: 'postgres', url: buildUrl('postgres') }).initialize();
    // PostgreSQL copies only a database without connections.
    await replicas[0]!.stop();
    await database.dataSource.destroy();
    await server.query(`CREATE DATABASE "${backupName}" TEMPLATE "${databaseName}"`);
    await database.dataSource.initialize();
    await server.destroy();
    return buildUrl(backupName);
  };
  /**
   * Requests the erasures that the backup lacks again, as `main.migrate` does. It finds them in the ledger of erasures,
   * which is stored outside the database.
   * @returns the number of users whose erasure is requested again.
   */
  const requestErasuresAgain = async (backupUrl: string): Promise<number> => {
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
    await backup?.destroy();
    await erasures.close();
  });

  it('loses the users who were erased after the backup, and no others', async () => {
    const { stack } = erasures;
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    await rename(ada, 'zz-erased-name');
    await rename(bob, 'zz-kept-name');
    const backupUrl = await createBackup();
    const worker = await startWorker();
    const erasureId = await worker.get(ErasureRequestService).request(ada.user.id, 'asked');
    expect(await worker.get(ErasureService).run(erasureId)).toBe(true);

    backup = await new DataSource({ type: 'postgres', url: backupUrl }).initialize();
    const backupContains = async (text: string) =>
      [...(await dumpTables(backup)).values()].some((rows) => rows.includes(text));
    expect(await backupContains('zz-erased-name')).toBe(true);
    expect(await requestErasuresAgain(backupUrl)).toBe(1);
    expect(await requestErasuresAgain(backupUrl)).toBe(0); // the erasure is requested already
    const workerOfBackup = await startWorker({ DATABASE_URL: backupUrl });
    await workerOfBackup.get(ErasureProcessor).resume();
    expect(await backupContains('zz-erased-name')).toBe(false);
    expect(await backupContains('zz-kept-name')).toBe(true);
    const [row] = await backup.query('SELECT id, reason, finished_at FROM erasures');
    // An erasure that is requested again has the reason `operator`, whatever its first reason was.
    expect(row).toEqual({ id: erasureId, reason: 'operator', finished_at: expect.any(Date) });
  });
});
