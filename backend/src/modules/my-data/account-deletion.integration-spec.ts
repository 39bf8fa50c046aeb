// Uses real PostgreSQL and Redis, a folder of files, two api replicas over HTTP and sockets, and a worker.
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import type { Receipt } from '@thaw/contract/my-data';
import { findQuestionById } from '@thaw/contract/questions';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { createCanaryWord } from '../../testing/canary-user.driver';
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
import { textMessage, type ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { NoticesService } from '../conduct/application/notices.service';

jest.setTimeout(90_000);

const PASSWORD = 'correct horse';
/** The time within which docs/operations.md promises that an erasure is complete. */
const ERASED_WITHIN_MS = 60_000;

describe('the deletion of an account', () => {
  let erasures: TestErasures;
  let stack: TestStack;

  beforeAll(async () => {
    erasures = await startTestErasures(2, quickChatSettings);
    stack = erasures.stack;
    await stack.startWorker();
  });
  afterAll(() => erasures.close());

  /** @param emailName the part of the e-mail address before the @ */
  const register = (emailName: string, gender?: 'female' | 'male', replicaIndex = 0) =>
    new ThawVisitor([stack.origins[replicaIndex]!]).register(`${emailName}@example.org`, PASSWORD, gender);
  const queryRows = <Row>(query: string, ...parameters: unknown[]) =>
    stack.database.dataSource.query<Row[]>(query, parameters);

  /** Searches all stores. @returns `<name of the word> in <table, redis or files>` for each place of a word */
  const findRemains = async (words: Readonly<Record<string, string>>): Promise<string[]> => {
    const contentsByPlace = new Map<string, string>([
      ...(await dumpTables(stack.database.dataSource)),
      ['redis', await dumpRedis(stack.store)],
      ['files', await dumpFiles(erasures.folder)],
    ]);
    const remains: string[] = [];
    for (const [place, content] of contentsByPlace) {
      for (const [name, word] of Object.entries(words)) {
        if (content.includes(word)) remains.push(`${name} in ${place}`);
      }
    }
    return remains;
  };

  describe('of a user with data in every store', () => {
    const { options } = findQuestionById(1)!;
    const words = {
      email: createCanaryWord(),
      name: createCanaryWord(),
      message: createCanaryWord(),
      edited: createCanaryWord(),
      clientId: createCanaryWord(),
      gameId: createCanaryWord(),
      // The text of an option. Although it is not random, it can be searched for like the other words: a game stores
      // only the id of its question, so the text is stored only as an answer.
      answer: options[0]!,
      privateMessage: createCanaryWord(),
      privateEdit: createCanaryWord(),
      privateClientId: createCanaryWord(),
    };
    let ada: ThawVisitor;
    let bob: ThawVisitor;
    let adaSocket: ThawSocket;
    let bobSocket: ThawSocket;
    let receiptId: string;
    let receipt: Receipt;
    let durationMs: number;
    let remains: string[];

    /** Holds a random chat with a message, its edit, a quote by the partner, and a game. */
    const holdRandomChat = async (): Promise<void> => {
      const sessionId = await matchSockets([adaSocket], [bobSocket]);
      const message = textMessage(sessionId, words.message, words.clientId);
      const messageId = String((await adaSocket.request('random_message', message)).id);
      const edit = { sessionId, messageId, newContent: words.edited, userId: ada.user.id };
      await adaSocket.request('message_edit', edit);
      const quote = { ...textMessage(sessionId, 'quoting you'), replyTo: { messageId } };
      await bobSocket.request('random_message', quote);

      const game = { sessionId, gameId: words.gameId };
      await adaSocket.request('break_ice_start', { ...game, question: { id: 1 }, initiatorId: ada.user.id });
      const adasAnswer = { ...game, userId: ada.user.id, response: words.answer };
      await adaSocket.request('break_ice_response', adasAnswer);
      const bobsAnswer = { ...game, userId: bob.user.id, response: options[1]! };
      await bobSocket.request('break_ice_response', bobsAnswer);
    };

    /** Makes the users friends, and sends a private message, its edit, and an image. */
    const writePrivately = async (): Promise<void> => {
      await makeFriends(stack.replicas[0]!, ada, bob);
      const message = createPrivateMessage({
        from: ada,
        to: bob,
        content: words.privateMessage,
        clientId: words.privateClientId,
      });
      const { id } = await adaSocket.request('send_private_message', message);
      await adaSocket.request('edit_private_message', {
        messageId: Number(id),
        newContent: words.privateEdit,
        senderId: ada.user.id,
        receiverId: bob.user.id,
      });
      const image = await uploadChatImage(stack.replicas[0]!, ada);
      await adaSocket.request(
        'send_private_message',
        createPrivateMessage({ from: ada, to: bob, content: image, messageType: 'image' }),
      );
    };

    /** Lets another user block Ada. */
    const blockAda = async (): Promise<void> => {
      const eve = await stack.createVisitor(0, 'male');
      await recordPastChat(stack.replicas[0]!, eve, ada);
      await eve.call('POST', '/api/blocks', { blockerId: eve.user.id, blockedId: ada.user.id });
    };

    beforeAll(async () => {
      ada = await register(words.email, 'female');
      bob = await register(createCanaryWord(), 'male', 1);
      await ada.call('PUT', `/api/user/${ada.user.id}`, { username: words.name, avatar: null });
      adaSocket = await ada.openSocket();
      bobSocket = await bob.openSocket();
      await holdRandomChat();
      await writePrivately();
      await blockAda();

      const startedAt = Date.now();
      receiptId = await deleteAccount(ada, PASSWORD);
      receipt = await waitForReceipt(stack.origins[1]!, receiptId);
      durationMs = Date.now() - startedAt;
      remains = await findRemains(words);
    });

    it('signs the user out, and ends the chat and the friendship', async () => {
      expect(await adaSocket.closed).toBe(closeCodes.notSignedIn);
      expect(ada.cookie).not.toContain('thaw.sid'); // the session cookie
      expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
      expect(await bobSocket.next('friendship_removed')).toMatchObject({ removedBy: ada.user.id });
    });

    it('is complete within a minute', () => {
      expect(durationMs).toBeLessThan(ERASED_WITHIN_MS);
      expect(receipt.remaining.total).toBe(0);
    });

    it('leaves no word of the user in any store', () => {
      expect(remains).toEqual([]);
    });

    it('leaves no profile, no private messages and no uploads', async () => {
      expect(await queryRows('SELECT 1 FROM users WHERE id = $1', ada.user.id)).toEqual([]);
      expect((await bob.call('GET', `/api/user/${ada.user.id}`)).status).toBe(404);
      expect((await requestMessages(bob, ada)).status).toBe(403);
      expect(await queryRows('SELECT 1 FROM uploads WHERE owner_id = $1', ada.user.id)).toEqual([]);
    });

    it('leaves read models that do not change when they are rebuilt from the event log', async () => {
      const dumpReadModels = async () => {
        const tables = await dumpTables(stack.database.dataSource);
        return ['private_messages', 'chat_history', 'friendships', 'blocks'].map((name) =>
          tables.get(name)?.split('\n').sort(),
        );
      };
      const rowsBefore = await dumpReadModels();
      await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
      expect(await dumpReadModels()).toEqual(rowsBefore);
    });

    it('is recorded in the event log', async () => {
      const tables = await dumpTables(stack.database.dataSource);
      expect(tables.get('events')).toContain(receiptId);
    });

    it('issues a receipt that counts the erased data', () => {
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
    });

    it('issues a receipt whose signature can be verified with the published key', async () => {
      const { body } = await bob.call('GET', '/api/receipts/keys');
      const [key] = body.keys as [JsonWebKey & { kid: string }];
      const signedToken = receipt.receipt!;
      const [header, content, signature] = signedToken.split('.');
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
    });

    it('frees the e-mail address for a new account', async () => {
      expect((await register(words.email)).user.id).not.toBe(ada.user.id);
    });
  });

  /** Requests the deletion of the account of `owner`. @returns the status and the error code */
  const tryToDelete = async (visitor: ThawVisitor, owner: ThawVisitor, body: object): Promise<string> => {
    const response = await visitor.call('POST', `/api/user/${owner.user.id}/erasure`, body);
    return `${response.status} ${String(response.body.code)}`;
  };
  const expectAccountExists = async (visitor: ThawVisitor): Promise<void> =>
    expect((await visitor.call('GET', `/api/user/${visitor.user.id}`)).status).toBe(200);

  it('is refused without the password of a registered user', async () => {
    const ada = await register(createCanaryWord());
    expect(await tryToDelete(ada, ada, { currentPassword: 'wrong' })).toBe('403 wrong_password');
    expect(await tryToDelete(ada, ada, { confirm: 'DELETE' })).toBe('400 validation_failed');
    await expectAccountExists(ada);
  });

  it('is refused without the confirmation word of an anonymous user', async () => {
    const eve = await stack.createVisitor(0);
    expect(await tryToDelete(eve, eve, {})).toBe('400 validation_failed');
    expect(await tryToDelete(eve, eve, { confirm: 'delete' })).toBe('400 validation_failed');
    await expectAccountExists(eve);
  });

  it('is refused for the account of another user', async () => {
    const ada = await register(createCanaryWord());
    const eve = await stack.createVisitor(0);
    expect(await tryToDelete(eve, ada, { confirm: 'DELETE' })).toBe('403 forbidden');
    await expectAccountExists(ada);
  });

  it('keeps the evidence of an open report, and lists it in the receipt', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const eve = await stack.createVisitor(0, 'male');
    const [adaSocket, eveSocket] = [await ada.openSocket(), await eve.openSocket()];
    const sessionId = await matchSockets([adaSocket], [eveSocket]);
    const message = createCanaryWord();
    await adaSocket.request('random_message', textMessage(sessionId, message));
    expect((await fileReport(eve, ada, { sessionId })).status).toBe(201);
    const receipt = await waitForReceipt(stack.origins[0]!, await deleteAccount(ada));
    expect(receipt.content!.kept).toEqual([
      { what: 'evidence of a report about you', why: 'open_case', until: null },
    ]);
    // The evidence is the only personal data that remains.
    expect(receipt.remaining).toMatchObject({ personalFields: 1, total: 1 });
    expect(await findRemains({ message })).toEqual(['message in event_private']);
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
