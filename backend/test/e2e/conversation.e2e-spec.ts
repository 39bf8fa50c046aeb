// Runs three api processes behind nginx, a worker, and their own PostgreSQL and Redis.
import { randomUUID } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { Client } from 'pg';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import { fillChats, openDownload, parseExport, requestExport } from '../../src/testing/exports.fixture';
import { matchNewVisitors, textMessage, type ThawSocket, ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';

const password = 'correct horse';

let stack: Stack;

jest.setTimeout(60_000);

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 3,
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    // The short grace period ends a chat soon after a user has left it.
    env: { DATABASE_URL: '', REDIS_URL: '', GRACE_AFTER_CLEAN_CLOSE_MS: '2000', LOG_LEVEL: 'warn' },
  });
}, 120_000);

afterAll(() => stack?.stop(), 60_000);

const createEmail = () => `${randomUUID()}@example.org`;
/** Signs up two new visitors, each with a socket, and matches them. */
const startChat = () => matchNewVisitors([stack.url, stack.url]);

/** Returns the number of open sockets of each replica, from its metrics. */
const countSocketsByReplica = (): Promise<number[]> =>
  Promise.all(
    stack.replicas.map(async ({ internalPort }) => {
      const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
      return Number(/^thaw_sockets(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
    }),
  );

it('lets two strangers register, match across replicas, chat, skip, and match with the next user', async () => {
  const ada = await new ThawVisitor([stack.url]).register(createEmail(), password, 'female');
  const bob = await new ThawVisitor([stack.url]).register(createEmail(), password, 'male');
  const cleo = await new ThawVisitor([stack.url]).joinAnonymously('female');
  const sockets: ThawSocket[] = [];
  for (const visitor of [ada, bob, cleo]) {
    sockets.push(await visitor.openSocket(), await visitor.openSocket());
  }
  // nginx has distributed the sockets over all replicas.
  const socketCounts = await until(
    () => countSocketsByReplica(),
    (counts) => counts.reduce((sum, count) => sum + count, 0) === sockets.length,
  );
  expect(socketCounts.filter((count) => count > 0)).toHaveLength(stack.replicas.length);

  const [adaSockets, bobSockets, cleoSockets] = [sockets.slice(0, 2), sockets.slice(2, 4), sockets.slice(4)];
  await adaSockets[0]!.request('join_queue', { preferences: 'male' });
  await bobSockets[1]!.request('join_queue', { preferences: 'female' });
  const { sessionId } = await adaSockets[1]!.next('chat_matched');
  expect(await bobSockets[0]!.next('chat_matched')).toMatchObject({ sessionId, partnerId: ada.user.id });
  // Wait for the start of the chat (seq 1): an ack that arrived before it would count as a violation of the order.
  await until(() =>
    [...adaSockets, ...bobSockets].every((socket) => socket.getLastSeq(String(sessionId)) === 1),
  );
  const messageCount = 10;
  for (let number = 0; number < messageCount; number += 1) {
    const [sender] = number % 2 ? adaSockets : bobSockets;
    await sender!.request('random_message', textMessage(String(sessionId), `message ${number}`));
  }
  const lastSeq = 1 + messageCount;
  await until(() =>
    [...adaSockets, ...bobSockets].every((socket) => socket.getLastSeq(String(sessionId)) === lastSeq),
  );

  await cleoSockets[0]!.request('join_queue', { preferences: 'male' });
  await bobSockets[0]!.request('skip_chat', { sessionId: String(sessionId) });
  for (const socket of [...adaSockets, bobSockets[1]!]) {
    expect(await socket.next('chat_skipped')).toMatchObject({
      sessionId,
      seq: lastSeq + 1,
      endedBy: bob.user.id,
    });
  }
  await bobSockets[0]!.request('join_queue', { preferences: 'both' });
  expect(await bobSockets[1]!.next('chat_matched', (data) => data.sessionId !== sessionId)).toMatchObject({
    partnerId: cleo.user.id,
  });
  for (const socket of sockets) expect(socket.seqViolations).toEqual([]);

  const readHistory = () => bob.call('GET', `/api/chat-history/${bob.user.id}`);
  // The worker has persisted both chats.
  await until(readHistory, ({ body }) => (body as unknown as unknown[]).length === 2);
  for (const visitor of [ada, bob, cleo]) await visitor.closeSockets();
});

it('resumes a chat through nginx after reloads and lost connections, and ends it when the user does not return', async () => {
  const { ada, adaSocket, bobSocket, sessionId } = await startChat();
  let socket = adaSocket;
  for (let round = 0; round < 6; round += 1) {
    await (round % 2 ? socket.terminate() : socket.closeCleanly()); // a lost connection or a reload
    await bobSocket.request('random_message', textMessage(sessionId, `missed ${round}`));
    // The start of the chat has the seq 1, and each round adds one message.
    socket = await ada.openSocket(stack.url, { sessionId, seq: 1 + round });
    const resumed = await socket.next('session_resumed');
    expect(resumed).toMatchObject({ sessionId, seq: 2 + round, last: true });
    expect(resumed.events).toMatchObject([{ event: 'random_message', data: { content: `missed ${round}` } }]);
  }
  await socket.closeCleanly();
  expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
  expect(bobSocket.seqViolations).toEqual([]);
  await bobSocket.closeCleanly();
});

describe('invalid and unauthorized input', () => {
  let chat: Awaited<ReturnType<typeof startChat>>;
  /** A user who is not in the chat. */
  let eve: ThawVisitor;

  beforeAll(async () => {
    chat = await startChat();
    eve = await new ThawVisitor([stack.url]).joinAnonymously('female');
  });
  /** Proves that the chat is unaffected: the next message is its next event. */
  afterEach(async () => {
    const { adaSocket, bobSocket, sessionId } = chat;
    const seq = adaSocket.getLastSeq(sessionId);
    const ack = await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    expect(ack.seq).toBe(seq + 1);
    await until(() => bobSocket.getLastSeq(sessionId) === seq + 1);
    expect([...adaSocket.seqViolations, ...bobSocket.seqViolations]).toEqual([]);
    await eve.closeSockets();
  });

  it.each([
    ['{"event":', 'invalid_json'],
    ['{"event":"dance"}', 'unknown_event'],
    ['{"event":"join_queue","data":{"preferences":"cats"}}', 'invalid_payload'],
  ])('answers the frame %s with the error %s', async (frame, code) => {
    const socket = await eve.openSocket();
    socket.send(frame);
    expect(await socket.next('error')).toMatchObject({ code });
    expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('refuses frames into a chat that the user is not in, and frames in the name of another user', async () => {
    const { sessionId, ada, adaSocket } = chat;
    const socket = await eve.openSocket();
    const sent = await adaSocket.request('random_message', textMessage(sessionId, 'ours'));
    const messageId = String(sent.id);
    const reference = { sessionId, messageId, userId: eve.user.id };
    const answers = [
      await socket.ask('random_message', textMessage(sessionId, 'boo')),
      await socket.ask('message_reaction', { ...reference, emoji: '👍', action: 'add' }),
      await socket.ask('message_edit', { ...reference, newContent: 'boo' }),
      await socket.ask('break_ice_start', {
        sessionId,
        gameId: 'g',
        question: { id: 1 },
        initiatorId: eve.user.id,
      }),
      await socket.ask('typing', { sessionId }),
      await socket.ask('skip_chat', { sessionId }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ event: 'error', data: { code: 'not_in_session' } });
    }
    const asAda = { ...reference, userId: ada.user.id };
    expect(await socket.ask('message_reaction', { ...asAda, emoji: '👍', action: 'add' })).toMatchObject({
      data: { code: 'forbidden' },
    });
  });

  it('closes a socket that authenticates as another user, and one without a login', async () => {
    const socket = await eve.openUnauthenticatedSocket();
    socket.send({ event: 'authenticate', data: { userId: chat.ada.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.userMismatch);
    const socketWithoutLogin = await new ThawVisitor([stack.url]).openUnauthenticatedSocket();
    expect(await socketWithoutLogin.closed).toBe(closeCodes.notSignedIn);
  });

  it('closes a socket that sends a binary frame or a frame of 20 MiB', async () => {
    const [binary, huge] = [await eve.openSocket(), await eve.openSocket()];
    binary.webSocket.send(Buffer.from('{"event":"ping"}'));
    expect(await binary.closed).toBe(closeCodes.unsupportedData);
    huge.webSocket.send('x'.repeat(20 * 1024 * 1024));
    // The connection may be cut while the client is still sending, before it reads the close frame.
    expect([closeCodes.messageTooBig, closeCodes.abnormal]).toContain(await huge.closed);
  });

  it('refuses a socket that a page of another origin opens', async () => {
    const foreignOrigin = { origin: 'https://elsewhere.example' };
    await expect(eve.openUnauthenticatedSocket(stack.url, foreignOrigin)).rejects.toThrow('403');
    const socketOfOwnOrigin = await eve.openUnauthenticatedSocket(stack.url, { origin: stack.url });
    expect(await socketOfOwnOrigin.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('refuses changes from another origin, and bodies that a form of another origin can send', async () => {
    const putProfile = (body: string, headers: Record<string, string>) =>
      fetch(`${stack.url}/api/user/${eve.user.id}`, {
        method: 'PUT',
        headers: { cookie: eve.cookie, ...headers },
        body,
      });
    const json = JSON.stringify({ username: 'taken over', avatar: null });
    const foreignOrigin = { origin: 'https://elsewhere.example' };
    const requests: [body: string, headers: Record<string, string>, status: number][] = [
      [json, { 'content-type': 'application/json', ...foreignOrigin }, 403],
      [json, { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }, 403],
      ['username=taken+over', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
      [json, { 'content-type': 'text/plain' }, 415],
    ];
    for (const [body, headers, status] of requests)
      expect((await putProfile(body, headers)).status).toBe(status);
    const { body } = await eve.call('GET', `/api/user/${eve.user.id}`);
    expect(body).toMatchObject({ username: eve.user.username });
  });

  it('refuses access to the data of another user', async () => {
    const { id } = chat.ada.user;
    const calls: [method: string, path: string, body?: unknown][] = [
      ['PUT', `/api/user/${id}`, { username: 'x', avatar: null }],
      ['PATCH', `/api/user/${id}`, { gender: 'male' }],
      ['GET', `/api/chat-history/${id}`],
    ];
    for (const [method, path, body] of calls) {
      expect(await eve.call(method, path, body)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
  });
});

it('sends a complete export of many messages through nginx without buffering it', async () => {
  const visitor = await new ThawVisitor([stack.url]).joinAnonymously();
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  const messageCount = 20_000;
  await fillChats((query, values) => client.query(query, values), visitor.user.id, {
    messages: messageCount,
  });
  await client.end();
  const response = await openDownload(visitor, await requestExport(visitor));
  expect(response.status).toBe(200);
  // nginx has answered. It has acted on the header X-Accel-Buffering, which disables buffering, and removed it.
  expect(response.headers.get('server')).toBe('nginx');
  expect(response.headers.get('x-accel-buffering')).toBeNull();
  // A streamed response has no length.
  expect(response.headers.get('content-length')).toBeNull();
  const { events } = parseExport(await response.text());
  expect(events.filter(({ type }) => type === 'MessageSent')).toHaveLength(messageCount);
});
