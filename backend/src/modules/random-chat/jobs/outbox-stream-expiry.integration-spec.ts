// Runs against a real worker in this process, PostgreSQL, Redis and BullMQ. Every chat has a stream in Redis. When the
// worker has written the end of the chat to PostgreSQL, it lets the stream expire, and then removes the entries of the
// chat from the outbox.
import type { Redis } from 'ioredis';
import { REDIS } from '../../../platform/redis/redis.module';
import { chatKeys, findShard } from '../../../platform/redis/redis.keys';
import { chatEnded, chatStarted, createSessionId } from '../../../testing/raw-outbox.fixture';
import { TestOutboxes } from '../../../testing/test-outboxes.harness';
import { until } from '../../../testing/until.functions';
import { ChatStreamSweepProcessor } from './chat-stream-sweep.processor';

jest.setTimeout(60_000);

/** Reply of PTTL for a key that does not expire. */
const NO_EXPIRY = -1;

describe('the stream of an ended chat', () => {
  const outboxes = TestOutboxes.useInTests();

  const getStream = (sessionId: string) => chatKeys(findShard(sessionId)).stream(sessionId);
  const readTtl = (sessionId: string) => outboxes.stack.store.redis.pttl(getStream(sessionId));
  const addStream = (sessionId: string) =>
    outboxes.stack.store.redis.xadd(getStream(sessionId), '*', 'event', 'whatever');

  /**
   * Makes the worker lose its connection to Redis whenever it removes entries from an outbox, right before XDEL: the
   * earlier commands of the same batch are executed. Lasts until the mocks are restored.
   * @returns a function that returns whether this has happened
   */
  const loseConnectionBeforeXdel = (): (() => boolean) => {
    const connectionError = new Error('Connection is closed.');
    let isLost = false;
    const redis = outboxes.worker.app.get<Redis>(REDIS);
    // A single server receives the batch as a pipeline, in which XDEL is the last command.
    const pipeline = redis.pipeline.bind(redis);
    jest.spyOn(redis, 'pipeline').mockImplementation((...args) => {
      const batch = pipeline(...args);
      const exec = batch.exec.bind(batch);
      batch.xdel = () => {
        isLost = true;
        // Executes the commands before XDEL, which is not added to the pipeline.
        batch.exec = async () => {
          await exec();
          throw connectionError;
        };
        return batch;
      };
      return batch;
    });
    // A cluster receives each command of the batch separately (see `openBatch`).
    const call = redis.call.bind(redis);
    jest.spyOn(redis, 'call').mockImplementation((...args: Parameters<typeof call>) => {
      if (args[0] !== 'xdel') return call(...args);
      isLost = true;
      return Promise.reject(connectionError);
    });
    return () => isLost;
  };

  it('gets its expiry even if the worker loses its connection before it removes the entries', async () => {
    const chat = createSessionId();
    await addStream(chat);
    const isConnectionLost = loseConnectionBeforeXdel();
    await outboxes.add(chat, chatStarted(), chatEnded);
    await until(isConnectionLost);
    await until(
      () => readTtl(chat),
      (ms) => ms > 0,
    );
    expect(await outboxes.readLength()).toBe(2); // the entries were written, but not removed
    jest.restoreAllMocks();
    await outboxes.waitUntilEmpty();
    expect(await readTtl(chat)).toBeGreaterThan(0);
  });

  it('gets a lost expiry again, and streams of other chats get none', async () => {
    const [ended, live, unpersisted] = [createSessionId(), createSessionId(), createSessionId()];
    for (const sessionId of [ended, live, unpersisted]) await addStream(sessionId);
    await outboxes.add(ended, chatStarted(), chatEnded);
    await outboxes.add(live, chatStarted());
    await outboxes.waitUntilEmpty();
    // PERSIST removes the expiry.
    await outboxes.stack.store.redis.persist(getStream(ended));
    const sweep = outboxes.worker.app.get(ChatStreamSweepProcessor);
    expect(await sweep.sweep()).toMatchObject({ endedWithoutExpiry: 1 });
    // The expiry is ten minutes.
    expect(await readTtl(ended)).toBeGreaterThan(9 * 60_000);
    expect([await readTtl(live), await readTtl(unpersisted)]).toEqual([NO_EXPIRY, NO_EXPIRY]);
  });
});
