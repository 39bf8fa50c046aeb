import { randomInt } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import request from 'supertest';
import { createApiApplication } from '../api-application.factory';
import { loadEnvironment } from '../config/environment.config';
import { createTestDatabase, type TestDatabase } from './test-database.harness';

export interface TestApi {
  app: NestExpressApplication;
  database: TestDatabase;
  /** A browser with its own cookies and a random client address, since rate limits count by address. */
  openBrowser(): ReturnType<typeof request.agent>;
  close(): Promise<void>;
}

const createRandomAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/**
 * Starts an api replica on a database of its own and the shared Redis. User ids count up from a random number, so that
 * the users of different test files have different keys in Redis.
 * @param settings environment variables of the replica, or a function that determines them once the database exists.
 */
export const startTestApi = async (
  settings: Record<string, string> | ((database: TestDatabase) => Promise<Record<string, string>>) = {},
): Promise<TestApi> => {
  const database = await createTestDatabase();
  const ownSettings = typeof settings === 'function' ? await settings(database) : settings;
  await database.dataSource.query(`ALTER SEQUENCE user_ids RESTART WITH ${randomInt(1_000_000, 2 ** 40)}`);
  const app = await createApiApplication(
    loadEnvironment({
      ...database.settings,
      REDIS_URL: process.env.REDIS_URL,
      SESSION_SECRET: 'a test secret of at least 32 bytes',
      SAFETY_SECRET: 'another test secret of at least 32 bytes',
      LOG_LEVEL: 'silent',
      TRUST_PROXY: '1', // so that `X-Forwarded-For` is the client address
      INTERNAL_PORT: '0', // any free port
      ...ownSettings,
    }),
  );
  await app.listen(0, '127.0.0.1');
  return {
    app,
    database,
    openBrowser: () => request.agent(app.getHttpServer()).set('X-Forwarded-For', createRandomAddress()),
    async close() {
      await app.close();
      await database.close();
    },
  };
};
