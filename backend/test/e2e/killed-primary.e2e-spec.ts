// Runs two api replicas and a worker in this process, with real PostgreSQL and a Redis Cluster of local processes. The
// long form, with more users and processes, is cluster/changing-cluster.cluster-spec.ts.
import type { RedisCluster } from '../../../deploy/local/stores/redis-cluster.mjs';
import { createMatchedPairs, findFaults, startSending } from '../../src/testing/chat-user.driver';
import { startTestStack, type TestStack } from '../../src/testing/test-stack.harness';
import { until } from '../../src/testing/until.functions';
import { HealthCheckRegistry } from '../../src/platform/health/health-check.registry';
import { OutboxRepository } from '../../src/platform/hot-log/outbox.repository';
import { chatKeys, findShard } from '../../src/platform/redis/redis.keys';

const PAIRS = 3;
/** Acknowledged messages of each user before the kill, and again after it. */
const MESSAGES_EACH = 3;
const BACK_WITHIN_MS = 15_000;

jest.setTimeout(60_000);

describe('a Redis Cluster that loses a primary', () => {
  const { REDIS_URL } = process.env;
  let cluster: RedisCluster;
  let stack: TestStack;

  beforeAll(async () => {
    const { startRedisCluster } = await import('../../../deploy/local/stores/redis-cluster.mjs');
    cluster = await startRedisCluster();
    process.env.REDIS_URL = cluster.adminUrl;
    stack = await startTestStack(2);
    await stack.startWorker();
  });
  afterAll(async () => {
    try {
      await stack?.close();
    } finally {
      await cluster?.stop();
      process.env.REDIS_URL = REDIS_URL;
    }
  });

  it('loses and doubles no acknowledged message, keeps their order, and replicas stay ready', async () => {
    const pairs = await createMatchedPairs(stack.origins, PAIRS);
    const users = pairs.flat();
    const waitForMessages = async () => {
      const wanted = users.map((user) => user.acked.size + MESSAGES_EACH);
      await until(
        () => users.every((user, index) => user.acked.size >= (wanted[index] ?? 0)),
        Boolean,
        BACK_WITHIN_MS,
      );
    };
    const stopSending = startSending(pairs, { everyMs: 200 });
    await waitForMessages();

    const expectReady = async () => {
      for (const { app } of stack.replicas)
        expect(await app.get(HealthCheckRegistry).checkReadiness()).toMatchObject({ isReady: true });
    };
    await expectReady();

    const { outbox } = chatKeys(findShard(users[0]?.sessionId ?? ''));
    const primary = await cluster.findPrimary(outbox);
    await primary.kill();
    await expectReady();
    await waitForMessages();
    expect(await cluster.findPrimary(outbox)).not.toBe(primary);
    await stopSending();

    await until(() => pairs.every(([first, second]) => first.seq === second.seq));
    expect(pairs.flatMap(findFaults)).toEqual([]);
    const outboxes = stack.replicas[0]!.app.get(OutboxRepository);
    await until(async () => (await outboxes.measureBacklog()).length === 0);
    for (const user of users) await user.leave();
  });
});
