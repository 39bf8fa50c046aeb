// Runs against a real api replica, worker, PostgreSQL, Redis and two users' sockets.
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { Conversation, readDurableTexts } from '../../../testing/conversation.driver';
import { startTestStack, type TestStack, type TestWorker } from '../../../testing/test-stack.harness';
import { until } from '../../../testing/until.functions';
import { ChatStreamSweepProcessor } from './chat-stream-sweep.processor';

jest.setTimeout(60_000);

describe('ChatStreamSweepProcessor', () => {
  let stack: TestStack;
  let worker: TestWorker;

  const getKeys = ({ sessionId }: Conversation) => {
    const { prefix, stream } = chatKeys(findShard(sessionId));
    return {
      deadlines: `${prefix}deadlines`,
      stream: stream(sessionId),
      sockets: `${prefix}sockets:${sessionId}`,
    };
  };
  /** By default, a chat is silent an hour after its last event. With a time in the future, every chat is silent. */
  const sweepAllAsSilent = () => worker.app.get(ChatStreamSweepProcessor).sweep(Date.now() + 1_000);
  const countDeadlines = (chat: Conversation) => stack.store.redis.zcard(getKeys(chat).deadlines);
  const isEndPersisted = async ({ sessionId }: Conversation) =>
    [...(await readDurableTexts(stack.database.dataSource, sessionId)).values()].includes('ChatEnded');

  beforeAll(async () => {
    // Only a sweep ends a chat here: the deadlines that it sets are short, and those set at a clean close are long.
    stack = await startTestStack(1, { GRACE_AFTER_LOSS_MS: '1500', GRACE_AFTER_CLEAN_CLOSE_MS: '60000' });
    worker = await stack.startWorker();
  });
  afterAll(() => stack.close());

  it('ends a chat whose users have left and whose deadlines Redis has lost', async () => {
    const chat = await Conversation.start(stack.origins[0] ?? '');
    const { redis } = stack.store;
    await Promise.all(chat.sockets.map((socket) => socket.closeCleanly()));
    await until(
      () => countDeadlines(chat),
      (count) => count === 2, // one for each user who has left
    );
    await redis.del(getKeys(chat).deadlines);

    expect(await sweepAllAsSilent()).toEqual({ endedWithoutExpiry: 0, silent: 1 });
    await until(() => isEndPersisted(chat));
    // The stream of a chat whose end is persisted gets an expiry.
    await until(
      () => redis.pttl(getKeys(chat).stream),
      (ttl) => ttl > 0,
    );
  });

  it('sets no deadline in a silent chat for users who are present', async () => {
    const chat = await Conversation.start(stack.origins[0] ?? '');
    await until(
      () => stack.store.redis.hlen(getKeys(chat).sockets),
      (count) => count === 2,
    );
    await until(
      () => countDeadlines(chat),
      (count) => count === 0,
    );
    expect((await sweepAllAsSilent()).silent).toBeGreaterThanOrEqual(1);
    expect(await countDeadlines(chat)).toBe(0);
    expect(await chat.send(0, 'still here')).toBe(true);
  });
});
