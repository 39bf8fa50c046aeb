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

const openTwoSockets = async (visitor: ThawVisitor): Promise<[first: ThawSocket, second: ThawSocket]> => [
  await visitor.openSocket(),
  await visitor.openSocket(),
];

/** Waits until each socket has received all events of the chat up to `seq`. */
const waitForSeq = (sockets: readonly ThawSocket[], sessionId: string, seq: number) =>
  until(() => sockets.every((socket) => socket.getLastSeq(sessionId) === seq));

/** Returns the number of open sockets of each replica, from its metrics. */
const countSocketsByReplica = (): Promise<number[]> =>
  Promise.all(
    stack.replicas.map(async ({ internalPort }) => {
      const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
      return Number(/^thaw_sockets(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]);
    }),
  );

/** Expects nginx to have distributed all open sockets, `total` of them, over all replicas. */
const expectSocketsOnAllReplicas = async (total: number): Promise<void> => {
  const counts = await until(
    () => countSocketsByReplica(),
    (values) => values.reduce((sum, count) => sum + count, 0) === total,
  );
  expect(counts).not.toContain(0);
};

it('lets two strangers register, match across replicas, chat, skip, and match with the next user', async () => {
  const ada = await new ThawVisitor([stack.url]).register(createEmail(), password, 'female');
  const bob = await new ThawVisitor([stack.url]).register(createEmail(), password, 'male');
  const cleo = await new ThawVisitor([stack.url]).joinAnonymously('female');
  const adaSockets = await openTwoSockets(ada);
  const bobSockets = await openTwoSockets(bob);
  const cleoSockets = await openTwoSockets(cleo);
  const sockets = [...adaSockets, ...bobSockets, ...cleoSockets];
  await expectSocketsOnAllReplicas(sockets.length);

  // What users do on one of their sockets is expected on the other one.
  await adaSockets[0].request('join_queue', { preferences: 'male' });
  await bobSockets[1].request('join_queue', { preferences: 'female' });
  const match = await adaSockets[1].next('chat_matched');
  const sessionId = String(match.sessionId);
  expect(await bobSockets[0].next('chat_matched')).toMatchObject({ sessionId, partnerId: ada.user.id });

  const socketsOfChat = [...adaSockets, ...bobSockets];
  let seq = 1; // the start of the chat
  // An ack of a message that arrived before the start of the chat would count as a violation of the order.
  await waitForSeq(socketsOfChat, sessionId, seq);
  for (let round = 1; round <= 5; round += 1) {
    for (const sender of [bobSockets[0], adaSockets[0]]) {
      await sender.request('random_message', textMessage(sessionId, `message of round ${round}`));
      seq += 1;
    }
  }
  await waitForSeq(socketsOfChat, sessionId, seq);

  await cleoSockets[0].request('join_queue', { preferences: 'male' });
  await bobSockets[0].request('skip_chat', { sessionId });
  for (const socket of [...adaSockets, bobSockets[1]]) {
    expect(await socket.next('chat_skipped')).toMatchObject({
      sessionId,
      seq: seq + 1,
      endedBy: bob.user.id,
    });
  }
  await bobSockets[0].request('join_queue', { preferences: 'both' });
  expect(await bobSockets[1].next('chat_matched', (data) => data.sessionId !== sessionId)).toMatchObject({
    partnerId: cleo.user.id,
  });
  for (const socket of sockets) expect(socket.seqViolations).toEqual([]);

  const readHistory = () => bob.call('GET', `/api/chat-history/${bob.user.id}`);
  // The worker has persisted both chats.
  await until(readHistory, ({ body }) => Array.isArray(body) && body.length === 2);
  for (const visitor of [ada, bob, cleo]) await visitor.closeSockets();
});

it('resumes a chat through nginx after reloads and lost connections', async () => {
  const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
  let socket = adaSocket;
  let seq = 1; // the start of the chat
  const reload = () => socket.closeCleanly();
  const loseConnection = () => socket.terminate();
  for (const disconnect of [reload, loseConnection, reload, loseConnection, reload, loseConnection]) {
    await disconnect();
    const content = `missed after seq ${seq}`;
    await bobSocket.request('random_message', textMessage(sessionId, content));
    socket = await ada.openSocket(stack.url, { sessionId, seq });
    seq += 1;
    const resumed = await socket.next('session_resumed');
    expect(resumed).toMatchObject({ sessionId, seq, last: true });
    expect(resumed.events).toMatchObject([{ event: 'random_message', data: { content } }]);
  }
  expect(bobSocket.seqViolations).toEqual([]);
  await Promise.all([ada.closeSockets(), bob.closeSockets()]);
});

it('ends a chat when one of its users does not return', async () => {
  const { adaSocket, bobSocket } = await startChat();
  await adaSocket.closeCleanly();
  expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
  expect(bobSocket.seqViolations).toEqual([]);
  await bobSocket.closeCleanly();
});

describe('on invalid or unauthorized input, the server', () => {
  const foreignOrigin = { origin: 'https://elsewhere.example' };
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
    const seq = adaSocket.getLastSeq(sessionId) + 1;
    const ack = await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    expect(ack.seq).toBe(seq);
    await waitForSeq([bobSocket], sessionId, seq);
    expect([...adaSocket.seqViolations, ...bobSocket.seqViolations]).toEqual([]);
    await eve.closeSockets();
  });

  const sendMessageAsAda = async (): Promise<{ sessionId: string; messageId: string }> => {
    const { sessionId, adaSocket } = chat;
    const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'ours'));
    return { sessionId, messageId: String(id) };
  };

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

  it('refuses frames into a chat that the user is not in', async () => {
    const socket = await eve.openSocket();
    const { sessionId } = chat;
    const reference = { ...(await sendMessageAsAda()), userId: eve.user.id };
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
  });

  it('refuses a frame in the name of another user', async () => {
    const socket = await eve.openSocket();
    const reference = { ...(await sendMessageAsAda()), userId: chat.ada.user.id };
    const answer = await socket.ask('message_reaction', { ...reference, emoji: '👍', action: 'add' });
    expect(answer).toMatchObject({ data: { code: 'forbidden' } });
  });

  it('closes a socket that authenticates as another user', async () => {
    const socket = await eve.openUnauthenticatedSocket();
    socket.send({ event: 'authenticate', data: { userId: chat.ada.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.userMismatch);
  });

  it('closes a socket without a login', async () => {
    const socket = await new ThawVisitor([stack.url]).openUnauthenticatedSocket();
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
  });

  it('closes a socket that sends a binary frame', async () => {
    const socket = await eve.openSocket();
    socket.webSocket.send(Buffer.from('{"event":"ping"}'));
    expect(await socket.closed).toBe(closeCodes.unsupportedData);
  });

  it('closes a socket that sends a frame of 20 MiB', async () => {
    const socket = await eve.openSocket();
    socket.webSocket.send('x'.repeat(20 * 1024 * 1024));
    // The connection may be cut while the client is still sending, before it reads the close frame.
    expect([closeCodes.messageTooBig, closeCodes.abnormal]).toContain(await socket.closed);
  });

  it('refuses a socket that a page of another origin opens', async () => {
    await expect(eve.openUnauthenticatedSocket(stack.url, foreignOrigin)).rejects.toThrow('403');
    const socketOfOwnOrigin = await eve.openUnauthenticatedSocket(stack.url, { origin: stack.url });
    expect(await socketOfOwnOrigin.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  const json = JSON.stringify({ username: 'taken over', avatar: null });
  it.each<[problem: string, headers: Record<string, string>, body: string, status: number]>([
    ['comes from another origin', { 'content-type': 'application/json', ...foreignOrigin }, json, 403],
    [
      'comes from another site',
      { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      json,
      403,
    ],
    // A form of another origin can send bodies of these two types.
    [
      'has a URL-encoded body',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'username=taken+over',
      415,
    ],
    ['has a plain-text body', { 'content-type': 'text/plain' }, json, 415],
  ])('refuses a request that %s', async (_problem, headers, requestBody, status) => {
    const path = `/api/user/${eve.user.id}`;
    const response = await fetch(`${stack.url}${path}`, {
      method: 'PUT',
      headers: { cookie: eve.cookie, ...headers },
      body: requestBody,
    });
    expect(response.status).toBe(status);
    const { body } = await eve.call('GET', path);
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
