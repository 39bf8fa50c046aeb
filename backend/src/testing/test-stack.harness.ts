import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApiApplication } from '../api-application.factory';
import { type Environment, loadEnvironment } from '../config/environment.config';
import { JobWorkerService } from '../platform/queue/job-worker.service';
import { SocketSupervisorService } from '../platform/realtime/socket-supervisor.service';
import { WorkerModule } from '../worker.module';
import { createTestDatabase, type TestDatabase } from './test-database.harness';
import { createTestRedis, type TestRedis } from './test-redis.harness';
import { ThawVisitor } from './thaw.client';
import { until } from './until.functions';

export interface TestReplica {
  app: NestExpressApplication;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** Further calls have no effect. */
  stop(): Promise<void>;
}

export interface TestWorker {
  app: INestApplicationContext;
  /** Further calls have no effect. */
  stop(): Promise<void>;
}

/** Environment variables of a process, which take precedence over the defaults of the stack. */
type Settings = Record<string, string>;

/** The product in one process: api replicas and workers on real stores. */
export interface TestStack {
  readonly replicas: readonly TestReplica[];
  readonly origins: readonly string[];
  database: TestDatabase;
  /** The Redis database. */
  store: TestRedis;
  addReplica(settings?: Settings): Promise<TestReplica>;
  startWorker(settings?: Settings): Promise<TestWorker>;
  /** Signs in an anonymous user, who uses the replica with this index. */
  createVisitor(replicaIndex: number, gender?: 'male' | 'female'): Promise<ThawVisitor>;
  /** Closes the sockets of the visitors created since the last call, and waits until the queue is empty. */
  closeSockets(): Promise<void>;
  close(): Promise<void>;
}

/** Partners can be matched again at once, and a closed page ends the chat after a short grace period. */
export const quickChatSettings = {
  REMATCH_COOLDOWN_S: '0',
  REMATCH_RELAX_AFTER_S: '0',
  GRACE_AFTER_CLEAN_CLOSE_MS: '400',
};

/** Returns a function that calls `work` once, and returns the promise of this call each time. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let result: Promise<void> | undefined;
  return () => (result ??= work());
};

/** Closes sockets first, as a graceful shutdown does: a server does not close while it has open sockets. */
const stopReplica = async (app: NestExpressApplication): Promise<void> => {
  await app.get(SocketSupervisorService).closeAll(0); // without spreading the closes over time
  await app.close();
};

const startReplica = async (environment: Environment): Promise<TestReplica> => {
  const app = await createApiApplication(environment);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, origin: `http://127.0.0.1:${port}`, stop: once(() => stopReplica(app)) };
};

const stopWorker = async (app: INestApplicationContext): Promise<void> => {
  await app.get(JobWorkerService).close();
  await app.close();
};

const startWorker = async (environment: Environment): Promise<TestWorker> => {
  const module = WorkerModule.forRoot(environment);
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return { app, stop: once(() => stopWorker(app)) };
};

/** Starts api replicas in this process, on a new PostgreSQL database and a Redis database of their own. */
export const startTestStack = async (replicaCount: number, settings: Settings = {}): Promise<TestStack> => {
  const [database, store] = await Promise.all([createTestDatabase(), createTestRedis()]);
  // Redis shares channels between databases: with random user ids, test files do not receive messages of each other.
  await database.dataSource.query(`ALTER SEQUENCE user_ids RESTART WITH ${randomInt(1_000_000, 2 ** 40)}`);
  const createEnvironment = (ownSettings: Settings = {}) =>
    loadEnvironment({
      ...database.settings,
      DATABASE_POOL_SIZE: '4',
      REDIS_URL: store.url,
      SESSION_SECRET: 'a test secret of at least 32 bytes',
      SAFETY_SECRET: 'another test secret of at least 32 bytes',
      LOG_LEVEL: 'silent',
      LIMITS_PROFILE: 'load', // rate limits that tests do not reach
      INTERNAL_PORT: '0', // any free port
      ...settings,
      ...ownSettings,
    });
  const replicas: TestReplica[] = [];
  const workers: TestWorker[] = [];
  const visitors: ThawVisitor[] = [];
  const addReplica = async (ownSettings?: Settings): Promise<TestReplica> => {
    const replicaId = `api-${replicas.length + 1}`;
    const replica = await startReplica(createEnvironment({ REPLICA_ID: replicaId, ...ownSettings }));
    replicas.push(replica);
    return replica;
  };
  const stack: TestStack = {
    replicas,
    database,
    store,
    addReplica,
    get origins() {
      return replicas.map(({ origin }) => origin);
    },
    async startWorker(ownSettings) {
      const worker = await startWorker(createEnvironment(ownSettings));
      workers.push(worker);
      return worker;
    },
    async createVisitor(replicaIndex, gender) {
      const visitor = new ThawVisitor([replicas[replicaIndex]?.origin ?? '']);
      visitors.push(visitor);
      return visitor.joinAnonymously(gender);
    },
    async closeSockets() {
      await Promise.all(visitors.splice(0).map((visitor) => visitor.closeSockets()));
      await until(async () => (await store.listKeys('{matching}:queue:*')).length === 0);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all(replicas.map((replica) => replica.stop()));
      await Promise.all([database.close(), store.close()]);
    },
  };
  try {
    for (let index = 0; index < replicaCount; index += 1) await addReplica();
  } catch (error) {
    await stack.close();
    throw error;
  }
  return stack;
};
