// Uses real PostgreSQL and Redis, a folder of files, two api replicas over HTTP and sockets, and a worker.
import { createPublicKey, type JsonWebKey, randomUUID, verify } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { findQuestionById } from '@thaw/contract/questions';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import {
  deleteAccount,
  dumpFiles,
  dumpRedis,
  dumpTables,
  startTestErasures,
  type TestErasures,
  waitForReceipt,
} from '../../testing/erasure.fixture';
import { createModerator, createModeratorApi, FACTS, reportUser } from '../../testing/moderation.fixture';
import { createPrivateMessage, requestMessages, uploadChatImage } from '../../testing/private-chat.fixture';
import { matchSockets } from '../../testing/random-chat.fixture';
import { makeFriends, recordPastChat } from '../../testing/relationship.fixture';
import { fileReport } from '../../testing/reports.fixture';
import { quickChatSettings, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, ThawVisitor } from '../../testing/thaw.client';
import { NoticesService } from '../conduct/application/notices.service';

jest.setTimeout(90_000);

const PASSWORD = 'correct horse';
/** The time within which docs/operations.md promises that an erasure is complete. */
const ERASED_WITHIN_MS = 60_000;

/** A word that occurs nowhere else, so that a search for it finds the remains of a text. */
const createCanary = (): string => `canary${randomUUID().replaceAll('-', '')}`;

describe('the deletion of an account', () => {
  let erasures: TestErasures;
  let stack: TestStack;

  beforeAll(async () => {
    erasures = await startTestErasures(2, quickChatSettings);
    stack = erasures.stack;
    await stack.startWorker();
  });
  afterAll(() => erasures.close());

  /** @param name the part of the e-mail address before the @ */
  const register = (name: string, gender: 'female' | 'male', replicaIndex = 0) =>
    new ThawVisitor([stack.origins[replicaIndex]!]).register(`${name}@example.org`, PASSWORD, gender);
  const queryRows = <Row>(query: string, ...parameters: unknown[]) =>
    stack.database.dataSource.query<Row[]>(query, parameters);

  it('erases every word of the user, ends the chat, and issues a receipt with a valid signature', async () => {
    const words = Object.fromEntries(
      ['email', 'name', 'message', 'edited', 'clientId', 'private', 'privateEdit'].map((field) => [
        field,
        createCanary(),
      ]),
    ) as Record<string, string>;
    const emailName = words.email!;
    const ada = await register(emailName, 'female');
    const bob = await register(createCanary(), 'male', 1);
    const image = await uploadChatImage(stack.replicas[0]!, ada);
    const username = words.name!.slice(0, limits.usernameMaxCodePoints);
    await ada.call('PUT', `/api/user/${ada.user.id}`, { username, avatar: null });

    // The users are in a random chat with a message, an edit, a quote by the partner, and a game.
    const adaSocket = await ada.openSocket();
    const bobSocket = await bob.openSocket();
    const sessionId = await matchSockets([adaSocket], [bobSocket]);
    const sent = await adaSocket.request(
      'random_message',
      textMessage(sessionId, words.message!, words.clientId),
    );
    await adaSocket.request('message_edit', {
      sessionId,
      messageId: String(sent.id),
      newContent: words.edited!,
      userId: ada.user.id,
    });
    await bobSocket.request('random_message', {
      ...textMessage(sessionId, 'quoting you'),
      replyTo: { messageId: String(sent.id) },
    });
    const gameId = createCanary();
    const [adasAnswer, bobsAnswer] = findQuestionById(1)!.options;
    await adaSocket.request('break_ice_start', {
      sessionId,
      gameId,
      question: { id: 1 },
      initiatorId: ada.user.id,
    });
    await adaSocket.request('break_ice_response', {
      sessionId,
      gameId,
      userId: ada.user.id,
      response: adasAnswer!,
    });
    await bobSocket.request('break_ice_response', {
      sessionId,
      gameId,
      userId: bob.user.id,
      response: bobsAnswer!,
    });

    // The user also has a friend with private messages, and is blocked by another user.
    await makeFriends(stack.replicas[0]!, ada, bob);
    const { id } = await adaSocket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: words.private!, clientId: createCanary() }),
    );
    await adaSocket.request('edit_private_message', {
      messageId: Number(id),
      newContent: words.privateEdit!,
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    await adaSocket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: image, messageType: 'image' }),
    );
    const eve = await stack.createVisitor(0, 'male');
    await recordPastChat(stack.replicas[0]!, eve, ada);
    await eve.call('POST', '/api/blocks', { blockerId: eve.user.id, blockedId: ada.user.id });

    const startedAt = Date.now();
    const receiptId = await deleteAccount(ada, PASSWORD);
    expect(await adaSocket.closed).toBe(closeCodes.notSignedIn);
    expect(ada.cookie).not.toContain('thaw.sid'); // the session cookie
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    expect(await bobSocket.next('friendship_removed')).toMatchObject({ removedBy: ada.user.id });
    const receipt = await waitForReceipt(stack.origins[1]!, receiptId);
    expect(Date.now() - startedAt).toBeLessThan(ERASED_WITHIN_MS);

    expect(receipt.content).toMatchObject({
      receiptId,
      userId: ada.user.id,
      reason: 'asked',
      erased: { privateMessages: 2, images: 1, friendships: 1, blocks: 1, sessions: 1 },
      kept: [],
    });
    // A rough lower bound: names, messages, edits, and the game.
    expect(receipt.content!.erased.personalFields).toBeGreaterThan(5);
    expect(receipt.content!.erased.redisKeys).toBeGreaterThan(0);
    expect(receipt.remaining.total).toBe(0);
    const { body } = await bob.call('GET', '/api/receipts/keys');
    const [key] = body.keys as [JsonWebKey & { kid: string }];
    const [header, content, signature] = receipt.receipt!.split('.');
    const isValid = verify(
      null,
      Buffer.from(`${header}.${content}`),
      createPublicKey({ key, format: 'jwk' }),
      Buffer.from(signature!, 'base64url'),
    );
    expect(isValid).toBe(true);
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      kid: key.kid,
      typ: 'thaw-receipt',
    });

    // Other users find no trace of the account.
    expect((await requestMessages(bob, ada)).status).toBe(403);
    expect(await queryRows('SELECT 1 FROM users WHERE id = $1', ada.user.id)).toEqual([]);
    expect((await bob.call('GET', `/api/user/${ada.user.id}`)).status).toBe(404);
    // The e-mail address can be registered again.
    await new ThawVisitor([stack.origins[0]!]).register(`${emailName}@example.org`, PASSWORD);

    // No store contains the erased words. The e-mail address is excluded, because the new account uses it.
    const { email: _, ...erasedWords } = words;
    const tables = await dumpTables(stack.database.dataSource);
    const contentsByPlace = new Map([
      ...tables,
      ['redis', await dumpRedis(stack.store)],
      ['files', await dumpFiles(erasures.folder)],
    ]);
    // An option of a question is stored only as an answer; a game stores the id of its question.
    const searchedWords = Object.entries({ ...erasedWords, gameId, answer: adasAnswer! });
    // The username is a shortened word, so all words are searched for by their beginning.
    const remains = [...contentsByPlace].flatMap(([place, content]) =>
      searchedWords
        .filter(([, word]) => content.includes(word.slice(0, limits.usernameMaxCodePoints)))
        .map(([field]) => `${field} in ${place}`),
    );
    expect(remains).toEqual([]);
    expect(tables.get('events')).toContain(receiptId); // the log still records the erasure itself
    expect(await queryRows('SELECT 1 FROM uploads WHERE owner_id = $1', ada.user.id)).toEqual([]);

    // A rebuild of the read models restores the same rows.
    const readModels = ['private_messages', 'chat_history', 'friendships', 'blocks'];
    const rowsBefore = readModels.map((name) => tables.get(name)?.split('\n').sort());
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    const rebuiltTables = await dumpTables(stack.database.dataSource);
    expect(readModels.map((name) => rebuiltTables.get(name)?.split('\n').sort())).toEqual(rowsBefore);
  });

  it('is refused without the password or, for anonymous users, the confirmation word', async () => {
    const ada = await register(createCanary(), 'female');
    const pathOfAda = `/api/user/${ada.user.id}/erasure`;
    const requestErasure = async (visitor: ThawVisitor, path: string, body: object) => {
      const response = await visitor.call('POST', path, body);
      return `${response.status} ${String(response.body.code)}`;
    };
    expect(await requestErasure(ada, pathOfAda, { currentPassword: 'wrong' })).toBe('403 wrong_password');
    expect(await requestErasure(ada, pathOfAda, { confirm: 'DELETE' })).toBe('400 validation_failed');
    const eve = await stack.createVisitor(0);
    const pathOfEve = `/api/user/${eve.user.id}/erasure`;
    expect(await requestErasure(eve, pathOfEve, {})).toBe('400 validation_failed');
    expect(await requestErasure(eve, pathOfEve, { confirm: 'delete' })).toBe('400 validation_failed');
    // No user can delete the account of another one.
    expect(await requestErasure(eve, pathOfAda, { confirm: 'DELETE' })).toBe('403 forbidden');
    expect((await ada.call('GET', `/api/user/${ada.user.id}`)).status).toBe(200);
  });

  it('keeps the evidence of an open report, and lists it in the receipt', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const eve = await stack.createVisitor(0, 'male');
    const [adaSocket, eveSocket] = [await ada.openSocket(), await eve.openSocket()];
    const sessionId = await matchSockets([adaSocket], [eveSocket]);
    const word = createCanary();
    await adaSocket.request('random_message', textMessage(sessionId, word));
    expect((await fileReport(eve, ada, { sessionId })).status).toBe(201);
    const receipt = await waitForReceipt(stack.origins[0]!, await deleteAccount(ada));
    expect(receipt.content!.kept).toEqual([
      { what: 'evidence of a report about you', why: 'open_case', until: null },
    ]);
    expect(receipt.remaining).toMatchObject({ personalFields: 1, total: 1 }); // the evidence
    const tables = await dumpTables(stack.database.dataSource);
    expect([...tables].filter(([, text]) => text.includes(word)).map(([name]) => name)).toEqual([
      'event_private',
    ]);
    expect((await dumpRedis(stack.store)).includes(word)).toBe(false);
    await eveSocket.closeCleanly();
  });

  it('keeps what an undecided appeal needs, and lists it in the receipt', async () => {
    const replica = stack.replicas[0]!;
    const [ada, eve] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    const { caseId } = await reportUser(replica, eve, ada);
    const moderator = createModeratorApi(await createModerator(stack));
    const { version } = await moderator.read(caseId);
    await moderator.decide(caseId, { version, outcome: 'warned', rule: 'no_hate', facts: FACTS });
    const userId = ada.user.id;
    const [notice] = await replica.app.get(NoticesService).list(userId);
    const body = { userId, noticeId: notice!.id, words: 'It was not me.' };
    expect((await ada.call('POST', '/api/appeals', body)).status).toBe(201);
    const receipt = await waitForReceipt(stack.origins[0]!, await deleteAccount(ada));
    expect(receipt.content!.kept).toEqual([
      { what: 'texts of decisions and appeals about you', why: 'open_case', until: null },
      { what: 'evidence of a report about you', why: 'open_case', until: null },
    ]);
  });
});
