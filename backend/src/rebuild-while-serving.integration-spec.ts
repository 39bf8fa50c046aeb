// Uses real PostgreSQL and Redis, two api replicas over HTTP and sockets, and a worker.
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import { ProjectionRebuildService } from './platform/event-store/projection-rebuild.service';
import { ProjectionRegistry } from './platform/event-store/projection.registry';
import { ReadModelsModule } from './read-models.module';
import {
  type ConnectedFriendPair,
  createConnectedFriends,
  createPrivateMessage,
} from './testing/private-chat.fixture';
import { startChat } from './testing/random-chat.fixture';
import { quickChatSettings, startTestStack, type TestStack } from './testing/test-stack.harness';
import { textMessage, type ThawVisitor } from './testing/thaw.client';
import { until } from './testing/until.functions';

jest.setTimeout(90_000);

/** The `lock_timeout` of the api replicas: a statement fails after waiting for a lock for this time. */
const LOCK_TIMEOUT_MS = 1_000;
const REBUILD_COUNT = 3;

describe('a rebuild of the read models while users chat', () => {
  let stack: TestStack;
  /** Rebuilds the read models as the operator's command does, with connections of its own. */
  let operatorApp: INestApplicationContext;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
    await stack.startWorker();
    const environment = loadEnvironment({ ...stack.database.settings, REDIS_URL: stack.store.url });
    operatorApp = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment), {
      logger: false,
    });
  });
  afterAll(async () => {
    await operatorApp.close();
    await stack.close();
  });

  const getPath = async (visitor: ThawVisitor, path: string): Promise<unknown> => {
    const { status, body } = await visitor.call('GET', path);
    expect(status).toBe(200);
    return body;
  };
  const countEndedChats = async (): Promise<number> =>
    (
      await stack.database.dataSource.query<unknown[]>(
        'SELECT 1 FROM chat_history WHERE ended_at IS NOT NULL',
      )
    ).length;
  /** The rows of all read models. The first two columns of each table contain its primary key. */
  const readTables = async (): Promise<Record<string, unknown>> => {
    const tables = stack.replicas[0]!.app.get(ProjectionRegistry)
      .list()
      .flatMap((projection) => projection.tables);
    const rows = await Promise.all(
      tables.map((table) => stack.database.dataSource.query(`SELECT * FROM ${table} ORDER BY 1, 2`)),
    );
    return Object.fromEntries(tables.map((table, index) => [table, rows[index]]));
  };

  /** Lets two friends write and read, and other users chat, all at once and over and over, until `stop`. */
  const startActivity = ({ ada, bob, adaSocket }: ConnectedFriendPair) => {
    const end = new AbortController();
    const durationsMs: number[] = [];
    const sentIds: number[] = [];
    let chatCount = 0;
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (!end.signal.aborted) await work();
    };
    const repeatAndMeasure = (work: () => Promise<unknown>): Promise<void> =>
      repeat(async () => {
        const startedAt = performance.now();
        await work();
        durationsMs.push(performance.now() - startedAt);
      });
    const done = Promise.all([
      repeatAndMeasure(async () => {
        const message = createPrivateMessage({ from: ada, to: bob, content: `number ${sentIds.length}` });
        sentIds.push(Number((await adaSocket.request('send_private_message', message)).id));
      }),
      repeatAndMeasure(() => getPath(bob, `/api/private-messages/${bob.user.id}/${ada.user.id}?limit=20`)),
      repeatAndMeasure(() => getPath(bob, `/api/private-messages/unread-counts/${bob.user.id}`)),
      repeatAndMeasure(() => getPath(ada, `/api/chat-history/${ada.user.id}`)),
      repeat(async () => {
        const chat = await startChat(stack);
        await chat.adaSocket.request('random_message', textMessage(chat.sessionId, 'hello'));
        await chat.adaSocket.request('skip_chat', { sessionId: chat.sessionId });
        await Promise.all([chat.ada.closeSockets(), chat.bob.closeSockets()]);
        chatCount += 1;
      }),
    ]);
    return {
      /** The response times of the friends' requests. */
      durationsMs,
      /** Ids of Ada's private messages, in the order in which they were sent. */
      sentIds,
      /** The number of chats that have ended. */
      countChats: () => chatCount,
      stop: async (): Promise<void> => {
        end.abort();
        await done;
      },
    };
  };

  it('keeps responses below a second, loses no write, and leaves the same rows as a rebuild without users', async () => {
    const friends = await createConnectedFriends(stack);
    const endedCountBefore = await countEndedChats();
    const rebuilder = operatorApp.get(ProjectionRebuildService);
    const activity = startActivity(friends);
    const { sentIds, durationsMs } = activity;
    try {
      for (let rebuild = 0; rebuild < REBUILD_COUNT; rebuild += 1) {
        const sentCountBefore = sentIds.length;
        await rebuilder.rebuild();
        expect(sentIds.length).toBeGreaterThan(sentCountBefore);
      }
      await until(() => activity.countChats() > 0);
    } finally {
      await activity.stop();
    }
    // No statement has waited for a lock of the rebuild until it failed.
    expect(Math.max(...durationsMs)).toBeLessThan(LOCK_TIMEOUT_MS);
    await until(
      () => countEndedChats(),
      (count) => count >= endedCountBefore + activity.countChats(),
    );
    const tablesWhileServing = await readTables();
    const messages = tablesWhileServing.private_messages as { id: string; sender_id: string }[];
    // If CI retries the test, the messages of the first attempt's users are still there.
    const ownMessages = messages.filter(
      ({ sender_id: senderId }) => Number(senderId) === friends.ada.user.id,
    );
    expect(ownMessages.map(({ id }) => Number(id))).toEqual(sentIds);
    await rebuilder.rebuild();
    expect(await readTables()).toEqual(tablesWhileServing);
  });
});
