// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { joinScript } from '../../../platform/hot-log/chat-presence.scripts';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

const GRACE_MS = 1_500;

describe('presence in chats, when a call or a store fails', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
      GRACE_AFTER_CLEAN_CLOSE_MS: String(GRACE_MS),
      GRACE_AFTER_LOSS_MS: '3000',
    });
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  const readSockets = (sessionId: string) =>
    stack.store.redis.hvals(chatKeys(findShard(sessionId)).sockets(sessionId));
  const isSocketOf = (userId: number) => (value: string) => value.split('|')[1] === String(userId);
  const listConnectionStates = (socket: ThawSocket) =>
    socket.all('partner_connection').map(({ state }) => state);

  it('removes the record of a socket whose join timed out after Redis had executed it', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    const run = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...args) => {
      await run(...args);
      throw new Error('Command timed out');
    });
    const tab = await ada.connect(stack.origins[0]);
    tab.send({ event: 'authenticate', data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } } });
    await tab.closed;
    await until(async () => (await readSockets(sessionId)).filter(isSocketOf(ada.user.id)).length === 1);
    await adaSocket.leave();
    expect(await bobSocket.next('partner_connection')).toMatchObject({ state: 'reconnecting' });
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  it('ends other abandoned chats when one cannot be ended, and ends that one later', async () => {
    const chats = [];
    for (let index = 0; index < 6; index += 1) chats.push(await startChat());
    // Shards are swept in order, so the chat that fails is swept before the others.
    chats.sort((a, b) => findShard(a.sessionId) - findShard(b.sessionId));
    const [stuck, ...others] = chats;
    const failing = stack.replicas.map(({ app }) => {
      const live = app.get(LiveChatService);
      const read = live.read.bind(live);
      return jest.spyOn(live, 'read').mockImplementation(async (sessionId) => {
        if (sessionId === stuck!.sessionId) throw new Error('This chat cannot be read');
        return read(sessionId);
      });
    });
    await Promise.all(chats.map(({ adaSocket }) => adaSocket.leave()));
    for (const { bobSocket } of others) await bobSocket.next('chat_skipped');
    expect(stuck!.bobSocket.all('chat_skipped')).toEqual([]);
    for (const spy of failing) spy.mockRestore();
    await stuck!.bobSocket.next('chat_skipped');
  });

  it('shows the partner as reconnecting to a user whose join completes after the partner left', async () => {
    const presence = stack.replicas[0]!.app.get(ChatPresenceService);
    const join = presence.join.bind(presence);
    let resumeJoin: () => void = () => undefined;
    const partnerLeft = new Promise<void>((resolve) => (resumeJoin = resolve));
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...args) => {
      await partnerLeft;
      return join(...args);
    });
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request('join_queue', {});
    await bobSocket.request('join_queue', {});
    const sessionId = String((await bobSocket.next('chat_matched')).sessionId);
    await bobSocket.leave();
    const { away } = chatKeys(findShard(sessionId));
    await until(() => stack.store.redis.sismember(away(sessionId), bob.user.id));
    resumeJoin();
    await adaSocket.next('chat_matched');
    expect(await adaSocket.next('partner_connection')).toMatchObject({ state: 'reconnecting' });
  });

  it('shows a partner as connected when a publication of their return overtakes an older reply', async () => {
    const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat();
    await bobSocket.cut();
    await until(() => listConnectionStates(adaSocket).at(-1) === 'reconnecting');
    const presence = stack.replicas[0]!.app.get(ChatPresenceService);
    const join = presence.join.bind(presence);
    const joinReplies: string[] = [];
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...args) => {
      joinReplies.push(await join(...args));
      await bob.openSocket(stack.origins[1], { sessionId, seq: 1 });
      await until(() => listConnectionStates(adaSocket).at(-1) === 'connected');
      return 'reconnecting';
    });
    const tab = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
    await tab.next('session_resumed');
    expect(joinReplies).toEqual(['reconnecting']);
    const isAway = await stack.replicas[0]!.app.get(LiveChatService).use(sessionId, (chat) =>
      Promise.resolve(chat.isAway(bob.user.id)),
    );
    expect(isAway).toBe(false);
  });

  it('starts the grace period when no socket of a user shows the chat, and stops it when one does', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    const chats = stack.replicas[0]!.app.get(LiveChatService);
    const connection = [
      ...(
        chats as unknown as { joinedSessionIds: Map<Parameters<LiveChatService['setShowsChat']>[0], string> }
      ).joinedSessionIds,
    ]
      .filter(([, id]) => id === sessionId)
      .map(([socket]) => socket)
      .find(({ identity }) => identity.userId === ada.user.id)!;
    await chats.setShowsChat(connection, sessionId, false);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'reconnecting');
    await chats.setShowsChat(connection, sessionId, true);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'connected');
    expect(await adaSocket.ask('ping', {})).toMatchObject({ event: 'pong' });
    await chats.setShowsChat(connection, sessionId, false);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  it('records sockets again after Redis has lost everything but the chats', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    const { redis } = stack.store;
    const lost = (await stack.store.listKeys()).filter((key) => !/:(chat:|outbox)/.test(key));
    await Promise.all(lost.map((key) => redis.del(key)));
    await until(async () => (await readSockets(sessionId)).length === 2);
    const countBefore = bobSocket.all('random_message').length;
    await adaSocket.request('random_message', { sessionId, content: 'still here', messageType: 'text' });
    await until(() => bobSocket.all('random_message').length > countBefore);
    expect(listConnectionStates(bobSocket)).toEqual([]);
  });

  it('restores presence after a replica did not renew its lease in time', async () => {
    const { ada, bobSocket, sessionId } = await startChat();
    const lease = stack.replicas[0]!.app.get(ReplicaLeaseService);
    const renewal = jest
      .spyOn(lease as unknown as { renew(): Promise<void> }, 'renew')
      .mockImplementation(async () => undefined);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'reconnecting');
    renewal.mockRestore();
    await until(() => listConnectionStates(bobSocket).at(-1) === 'connected');
    expect((await readSockets(sessionId)).some(isSocketOf(ada.user.id))).toBe(true);
  });
});
