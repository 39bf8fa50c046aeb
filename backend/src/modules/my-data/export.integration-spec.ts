// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import { EventTypeRegistry } from '../../platform/event-store/event-type.registry';
import { GracefulShutdownService } from '../../platform/lifecycle/graceful-shutdown.service';
import { matchSockets } from '../../testing/random-chat.fixture';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { createPrivateMessage, uploadChatImage } from '../../testing/private-chat.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { fileReport } from '../../testing/reports.fixture';
import {
  downloadExport,
  fillChats,
  openDownload,
  parseExport,
  requestExport,
  summarizeExport,
} from '../../testing/exports.fixture';
import { deleteAccount, createReceiptKey } from '../../testing/erasure.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { exportedEvents } from './application/exported-events.rules';
import { exportedTables } from './application/exported-tables.rules';
import { ExportRepository } from './infrastructure/export.repository';
import { ExportTicketRepository } from './infrastructure/export-ticket.repository';
import { exportLockKey } from '../../platform/redis/redis.keys';

jest.setTimeout(60_000);

const PASSWORD = 'correct horse';
/** Large enough that an export waits for a paused client before it has read all of its pages. */
const MESSAGE_COUNT = 20_000;

/** Creates a word that occurs nowhere else. An export contains the word only if it contains the text with the word. */
const createCanary = (): string => `canary${randomUUID().replaceAll('-', '')}`;

describe('the export of what is stored about a user', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, { ...quickChatSettings, RECEIPT_KEY: createReceiptKey() });
  });
  afterAll(() => stack.close());

  const register = () =>
    new ThawVisitor([stack.origins[0]!]).register(`${createCanary()}@example.org`, PASSWORD, 'female');
  const queryRows = (query: string, ...parameters: unknown[]) =>
    stack.database.dataSource.query<unknown[]>(query, parameters);

  /** Gives a user a chat with many messages. */
  const fillChat = (userId: number, messages = MESSAGE_COUNT) =>
    fillChats((query, parameters) => queryRows(query, ...parameters), userId, { messages });

  /** Opens a download whose client stops reading as soon as its buffer is full. */
  const openPausedDownload = async (
    visitor: ThawVisitor,
    origin = stack.origins[0]!,
  ): Promise<IncomingMessage> => {
    const url = await requestExport(visitor);
    const request = httpRequest(`${origin}${url}`, { headers: { cookie: visitor.cookie } });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined); // the tests check the received text
    expect(response.statusCode).toBe(200);
    await until(() => response.readableLength >= response.readableHighWaterMark);
    return response;
  };

  /** Reads the rest of a download. @returns the text, and whether the server ended it properly. */
  const readToEnd = async (response: IncomingMessage): Promise<{ text: string; isComplete: boolean }> => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise<void>((resolve) => response.once('close', resolve));
    return { text, isComplete: response.complete };
  };

  /** Expects that the server cuts the download off: the response has no end and no trailer. */
  const expectCutOff = async (response: IncomingMessage): Promise<void> => {
    const { text, isComplete } = await readToEnd(response);
    expect(isComplete).toBe(false);
    expect(text).toContain('"kind":"header"');
    expect(text).not.toContain('"kind":"trailer"');
  };

  /** Lets Ada and Bob chat, become friends, write private messages and report each other. */
  const createHistory = async (ada: ThawVisitor, bob: ThawVisitor) => {
    const adasWords = {
      name: createCanary().slice(0, 20), // short enough for a username
      message: createCanary(),
      privateMessage: createCanary(),
      report: createCanary(),
    };
    const bobsWords = { message: createCanary(), original: createCanary(), report: createCanary() };
    await ada.call('PUT', `/api/user/${ada.user.id}`, { username: adasWords.name, avatar: null });
    const image = await uploadChatImage(stack.replicas[0]!, ada);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    const sessionId = await matchSockets([adaSocket], [bobSocket]);
    const { id: bobsMessageId } = await bobSocket.request(
      'random_message',
      textMessage(sessionId, bobsWords.message),
    );
    await adaSocket.request('random_message', {
      ...textMessage(sessionId, adasWords.message),
      replyTo: { messageId: String(bobsMessageId) },
    });
    await persistChat(stack.replicas[0]!, sessionId);
    await makeFriends(stack.replicas[0]!, ada, bob);
    await adaSocket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: adasWords.privateMessage }),
    );
    const { id } = await bobSocket.request(
      'send_private_message',
      createPrivateMessage({ from: bob, to: ada, content: bobsWords.original }),
    );
    /** Replaces `bobsWords.original`, so it is the current text of Bob's private message. */
    const editedText = createCanary();
    await bobSocket.request('edit_private_message', {
      messageId: Number(id),
      newContent: editedText,
      senderId: bob.user.id,
      receiverId: ada.user.id,
    });
    expect((await fileReport(ada, bob, { sessionId, words: adasWords.report })).status).toBe(201);
    expect((await fileReport(bob, ada, { sessionId, words: bobsWords.report })).status).toBe(201);
    return { adaSocket, adasWords, bobsWords, bobsMessageId, editedText, image };
  };

  it('has a rule for each event type and each table', async () => {
    const types = stack.replicas[0]!.app.get(EventTypeRegistry).list();
    expect(Object.keys(exportedEvents).sort()).toEqual(types.map(({ type }) => type).sort());
    // Ordinary and partitioned tables, without the partitions.
    const tables = (await queryRows(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         AND relkind IN ('r', 'p') AND NOT relispartition`,
    )) as { name: string }[];
    expect(Object.keys(exportedTables).sort()).toEqual(tables.map(({ name }) => name).sort());
  });

  it('contains all acts of the user, and texts of others only if they are current messages of friends', async () => {
    const ada = await register();
    const bob = await stack.createVisitor(1, 'male');
    const history = await createHistory(ada, bob);
    const { adaSocket, adasWords, bobsWords, bobsMessageId, editedText } = history;

    const whileFriends = await downloadExport(ada, PASSWORD);
    const text = JSON.stringify(whileFriends.lines);
    for (const word of [...Object.values(adasWords), history.image, editedText, ada.user.email!])
      expect(text).toContain(word);
    for (const word of Object.values(bobsWords)) expect(text).not.toContain(word);
    // `<section> <type>` of events, then the tables of records.
    expect(summarizeExport(whileFriends)).toEqual([
      'account UserRegistered',
      'account GenderChosen',
      'account ProfileChanged',
      'friends FriendRequestSent',
      'friends FriendRequestAccepted',
      'chats ChatStarted',
      'chats MessageSent',
      'private PrivateMessageSent',
      'private PrivateMessageEdited',
      'conduct ReportFiled',
      'standings',
      'sessions',
      'devices',
      'uploads',
    ]);
    const [messageOfBob, messageOfAda] = whileFriends.events.filter(({ type }) => type === 'MessageSent');
    expect(messageOfBob).toMatchObject({ by: 'other', omitted: expect.arrayContaining(['content']) });
    expect(messageOfAda).toMatchObject({
      by: 'me',
      data: { content: adasWords.message, replyTo: { messageId: bobsMessageId, senderId: bob.user.id } },
    });
    // Only the user's own report is exported. Its position counts only exported events, so it does not disclose that
    // the stream has other events.
    expect(whileFriends.events.filter(({ section }) => section === 'conduct')).toMatchObject([
      { stream: `conduct-${bob.user.id}`, position: 1, by: 'me' },
    ]);

    const deleted = await adaSocket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: createCanary() }),
    );
    await adaSocket.request('delete_private_message', {
      messageId: Number(deleted.id),
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    await ada.call('POST', '/api/blocks', { blockerId: ada.user.id, blockedId: bob.user.id });
    await ada.call('DELETE', `/api/blocks/${ada.user.id}/${bob.user.id}`);
    const afterBlock = await downloadExport(ada, PASSWORD);
    expect(summarizeExport(afterBlock)).toEqual(
      expect.arrayContaining([
        'friends FriendshipRemoved',
        'blocks PersonBlocked',
        'blocks PersonUnblocked',
        'private PrivateMessageDeleted',
      ]),
    );
    const textAfterBlock = JSON.stringify(afterBlock.lines);
    expect(textAfterBlock).not.toContain(editedText); // Bob is no longer a friend
    expect(textAfterBlock).toContain(adasWords.privateMessage);
    const exportOfBob = await downloadExport(bob);
    // The export of a blocked user does not disclose the block.
    expect(summarizeExport(exportOfBob)).not.toContain('blocks PersonBlocked');
    for (const word of Object.values(adasWords))
      expect(JSON.stringify(exportOfBob.lines)).not.toContain(word);
    // `stack` closes only the sockets of visitors that it has created.
    await Promise.all([ada.closeSockets(), stack.closeSockets()]);
  });

  it('requires the password, is limited to three a day, and is sent once, to the login that requested it', async () => {
    const ada = await register();
    const path = `/api/my-data/${ada.user.id}/export`;
    const tryToRequest = async (body: object) => {
      const response = await ada.call('POST', path, body);
      return `${response.status} ${String(response.body.code)}`;
    };
    expect(await tryToRequest({})).toBe('400 validation_failed');
    expect(await tryToRequest({ currentPassword: 'wrong' })).toBe('403 wrong_password');

    const url = await requestExport(ada, PASSWORD);
    const eve = await stack.createVisitor(0);
    const otherLogin = await new ThawVisitor([stack.origins[0]!]).logIn(ada.user.email!, PASSWORD);
    const signedOut = new ThawVisitor([stack.origins[0]!]);
    for (const [visitor, status] of [
      [eve, 404],
      [otherLogin, 404],
      [signedOut, 401],
    ] as const)
      expect((await openDownload(visitor, url)).status).toBe(status);
    expect((await ada.call('HEAD', url)).status).toBe(404); // must not use up the URL, which can be read once
    const response = await openDownload(ada, url, { origin: stack.origins[1]! });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="thaw-my-data.jsonl"',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    parseExport(await response.text());
    expect((await openDownload(ada, url)).status).toBe(404);

    await requestExport(ada, PASSWORD);
    await requestExport(ada, PASSWORD);
    expect(await tryToRequest({ currentPassword: PASSWORD })).toBe('429 rate_limited');
  });

  it('contains the events that existed at its start, however slowly the client reads', async () => {
    const ada = await stack.createVisitor(0);
    await fillChat(ada.user.id);
    const response = await openPausedDownload(ada);
    // The export checks the login once for each page that it reads.
    const pageChecks = jest.spyOn(stack.replicas[0]!.app.get(ExportRepository), 'isSignedIn');
    // Waits until two polls in a row read the same count: the export then waits for its client.
    let previousCount = -1;
    const checkedPages = await until(
      () => pageChecks.mock.calls.length,
      (count) => {
        const isSteady = count === previousCount;
        previousCount = count;
        return isSteady;
      },
    );
    // The chat fills more than 40 pages of 500 events. Some of them are read only when the client continues.
    expect(checkedPages).toBeLessThan(40);
    // A user can have only one export running.
    expect((await openDownload(ada, await requestExport(ada))).status).toBe(503);
    // A chat that starts after the export has begun is not exported.
    await fillChat(ada.user.id, 10);
    const { text, isComplete } = await readToEnd(response);
    pageChecks.mockRestore();
    expect(isComplete).toBe(true);
    const { events } = parseExport(text);
    const messages = events.filter(({ type }) => type === 'MessageSent');
    expect(messages.map(({ position }) => position)).toEqual(
      Array.from({ length: MESSAGE_COUNT }, (_, index) => index + 2), // `ChatStarted` has position 1
    );
    expect(events.filter(({ type }) => type === 'ChatStarted')).toHaveLength(1);
    await downloadExport(ada); // possible again, because the first export has ended
  });

  describe('is cut off without a trailer', () => {
    const openLargeDownload = async (origin?: string) => {
      const ada = await stack.createVisitor(0);
      await fillChat(ada.user.id);
      return { ada, response: await openPausedDownload(ada, origin) };
    };

    it('when the database fails, and then does not count towards the limit of exports per day', async () => {
      const { ada, response } = await openLargeDownload();
      await queryRows('ALTER TABLE event_private RENAME TO event_private_away');
      try {
        await expectCutOff(response);
      } finally {
        await queryRows('ALTER TABLE event_private_away RENAME TO event_private');
      }
      // Three exports a day are allowed in addition to the failed one.
      for (let count = 0; count < 3; count += 1) await requestExport(ada);
      // Other users can download again.
      await downloadExport(await stack.createVisitor(0));
    });

    it('when the user is erased, or logs out', async () => {
      const erased = await openLargeDownload();
      await deleteAccount(erased.ada);
      await expectCutOff(erased.response);
      const revoked = await openLargeDownload();
      await revoked.ada.logOut();
      await expectCutOff(revoked.response);
    });

    it('when the replica stops, without waiting for the client', async () => {
      const replica = await stack.addReplica();
      const { ada, response } = await openLargeDownload(replica.origin);
      const stopped = replica.app.get(GracefulShutdownService).stop(() => replica.stop());
      await expectCutOff(response);
      await stopped;
      // The replica has released the lock, so another one can export at once.
      expect(await stack.store.redis.exists(exportLockKey(ada.user.id))).toBe(0);
    });
  });

  it('does not release the lock of a later export after its own lock has expired', async () => {
    const [firstReplica, secondReplica] = stack.replicas.map(({ app }) => app.get(ExportTicketRepository));
    const userId = 4_000_000_000; // needs no account
    const releaseFirst = await firstReplica!.lock(userId);
    await stack.store.redis.del(exportLockKey(userId)); // as its expiry does
    const releaseSecond = await secondReplica!.lock(userId);
    await releaseFirst!();
    expect(await firstReplica!.lock(userId)).toBeNull(); // the second lock is still held
    await releaseSecond!();
    const releaseThird = await firstReplica!.lock(userId);
    expect(releaseThird).not.toBeNull();
    await releaseThird!();
  });

  it('releases its slot and its lock when the client disconnects', async () => {
    const [first, second, third] = await Promise.all([
      stack.createVisitor(0),
      stack.createVisitor(0),
      stack.createVisitor(0),
    ]);
    // A replica has slots for two exports. These exports are larger than what a paused client receives, so they keep
    // their slots.
    for (const { user } of [first, second, third]) await fillChat(user.id, 5_000);
    const responses = [await openPausedDownload(first), await openPausedDownload(second)];
    const url = await requestExport(third);
    const busy = await openDownload(third, url);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '30']);
    for (const response of responses) response.destroy();
    const response = await until(
      () => openDownload(third, url),
      ({ status }) => status === 200,
    );
    expect(parseExport(await response.text()).events.length).toBeGreaterThan(5_000);
    const lockKeys = await until(
      () => stack.store.redis.keys('export:*'),
      (found) => found.length === 0,
    );
    expect(lockKeys).toEqual([]);
  });
});
