import { randomInt } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import request from 'supertest';
import { createApiApplication } from '../api-application.factory';
import { loadEnvironment } from '../config/environment.config';
import { createTestDatabase, type TestDatabase } from './test-database.harness';

export interface TestApi {
  app: NestExpressApplication;
  database: TestDatabase;
  /** A browser with its own cookies and client address. */
  openBrowser(): ReturnType<typeof request.agent>;
  close(): Promise<void>;
}

const createRandomAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** An api replica on real stores. User ids start at a random number, so that test files do not collide in Redis. */
export const startTestApi = async (
  given: Record<string, string> | ((database: TestDatabase) => Promise<Record<string, string>>) = {},
): Promise<TestApi> => {
  const database = await createTestDatabase();
  const settings = typeof given === 'function' ? await given(database) : given;
  await database.dataSource.query(`ALTER SEQUENCE user_ids RESTART WITH ${randomInt(1_000_000, 2 ** 40)}`);
  const app = await createApiApplication(
    loadEnvironment({
      ...database.settings,
      REDIS_URL: process.env.REDIS_URL,
      SESSION_SECRET: 'a secret of a test that has 32 bytes or more',
      SAFETY_SECRET: 'another secret of a test of 32 bytes or more',
      LOG_LEVEL: 'silent',
      TRUST_PROXY: '1',
      INTERNAL_PORT: '0',
      ...settings,
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
