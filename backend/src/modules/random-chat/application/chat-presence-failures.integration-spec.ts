// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { joinScript } from '../../../platform/hot-log/chat-presence.scripts';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, textMessage, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

/** How long a chat waits for a user without a socket. */
const GRACE_AFTER_CLEAN_CLOSE_MS = 1_500;
const GRACE_AFTER_LOSS_MS = 3_000;

describe('presence in chats, when a call or a store fails', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
      GRACE_AFTER_CLEAN_CLOSE_MS: String(GRACE_AFTER_CLEAN_CLOSE_MS),
      GRACE_AFTER_LOSS_MS: String(GRACE_AFTER_LOSS_MS),
    });
    // Sweeps end abandoned chats. A replica sweeps only after it has been up for some seconds.
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /** Starts a chat of Ada, on the first replica, and Bob, on the second. */
  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  const readSocketRecords = (sessionId: string) =>
    stack.store.redis.hvals(chatKeys(findShard(sessionId)).sockets(sessionId));
  /** The second field of a socket's record is the id of its user. */
  const isRecordOf = (userId: number) => (record: string) => record.split('|')[1] === String(userId);
  const listConnectionStates = (socket: ThawSocket) =>
    socket.all('partner_connection').map(({ state }) => state);

  it('removes the record of a socket whose join timed out after Redis had executed it', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    const run = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...parameters) => {
      await run(...parameters);
      throw new Error('Command timed out');
    });
    const tab = await ada.openUnauthenticatedSocket(stack.origins[0]);
    tab.send({ event: 'authenticate', data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } } });
    await tab.closed;
    await until(
      async () => (await readSocketRecords(sessionId)).filter(isRecordOf(ada.user.id)).length === 1,
    );
    // The remaining record is that of `adaSocket`. With a record of the tab, Ada would still be present.
    await adaSocket.closeCleanly();
    expect(await bobSocket.next('partner_connection')).toMatchObject({ state: 'reconnecting' });
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  it('ends other abandoned chats when one chat cannot be ended, and ends this chat later', async () => {
    const chats = [];
    for (let index = 0; index < 6; index += 1) chats.push(await startChat());
    // Shards are swept in order, so the chat that fails is swept before those in later shards. There are 64 shards, so
    // some of the other five chats are almost certainly in later ones.
    chats.sort((a, b) => findShard(a.sessionId) - findShard(b.sessionId));
    const [failingChat, ...otherChats] = chats;
    const readSpies = stack.replicas.map(({ app }) => {
      const liveChats = app.get(LiveChatService);
      const read = liveChats.read.bind(liveChats);
      return jest.spyOn(liveChats, 'read').mockImplementation(async (sessionId) => {
        if (sessionId === failingChat!.sessionId) throw new Error('This chat cannot be read');
        return read(sessionId);
      });
    });
    await Promise.all(chats.map(({ adaSocket }) => adaSocket.closeCleanly()));
    for (const { bobSocket } of otherChats) await bobSocket.next('chat_skipped');
    expect(failingChat!.bobSocket.all('chat_skipped')).toEqual([]);
    for (const spy of readSpies) spy.mockRestore();
    await failingChat!.bobSocket.next('chat_skipped');
  });

  it("shows the partner as reconnecting if their socket closes before the user's own join completes", async () => {
    const presence = stack.replicas[0]!.app.get(ChatPresenceService);
    const join = presence.join.bind(presence);
    let continueJoin: () => void = () => undefined;
    const joinMayContinue = new Promise<void>((resolve) => (continueJoin = resolve));
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...parameters) => {
      await joinMayContinue;
      return join(...parameters);
    });
    const [ada, bob] = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')];
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request('join_queue', {});
    await bobSocket.request('join_queue', {});
    const sessionId = String((await bobSocket.next('chat_matched')).sessionId);
    await bobSocket.closeCleanly();
    const { away } = chatKeys(findShard(sessionId));
    await until(() => stack.store.redis.sismember(away(sessionId), bob.user.id));
    continueJoin();
    await adaSocket.next('chat_matched');
    expect(await adaSocket.next('partner_connection')).toMatchObject({ state: 'reconnecting' });
  });

  it('keeps a returned partner connected when a join reply from before the return arrives late', async () => {
    const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat();
    await bobSocket.terminate();
    await until(() => listConnectionStates(adaSocket).at(-1) === 'reconnecting');
    const presence = stack.replicas[0]!.app.get(ChatPresenceService);
    const join = presence.join.bind(presence);
    const joinReplies: string[] = [];
    // The reply to the join of Ada's tab arrives after Bob's return has been published.
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...parameters) => {
      const reply = await join(...parameters);
      joinReplies.push(reply);
      await bob.openSocket(stack.origins[1], { sessionId, seq: 1 });
      await until(() => listConnectionStates(adaSocket).at(-1) === 'connected');
      return reply;
    });
    const tab = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
    await tab.next('session_resumed');
    expect(joinReplies).toEqual(['reconnecting']);
    const isAway = await stack.replicas[0]!.app.get(LiveChatService).withChat(sessionId, (chat) =>
      Promise.resolve(chat.isAway(bob.user.id)),
    );
    expect(isAway).toBe(false);
  });

  it('starts the grace period when no socket of a user shows the chat, and stops it when one does', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    // No public method returns the connection that belongs to a socket of a test.
    const liveChats = stack.replicas[0]!.app.get(LiveChatService);
    const { joinedSessionIds } = liveChats as unknown as { joinedSessionIds: Map<SocketConnection, string> };
    const [adaConnection] = [...joinedSessionIds]
      .filter(([{ identity }, id]) => id === sessionId && identity.userId === ada.user.id)
      .map(([connection]) => connection);
    await liveChats.setShowsChat(adaConnection!, sessionId, false);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'reconnecting');
    await liveChats.setShowsChat(adaConnection!, sessionId, true);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'connected');
    expect(await adaSocket.ask('ping', {})).toMatchObject({ event: 'pong' }); // the socket was open all the time
    await liveChats.setShowsChat(adaConnection!, sessionId, false);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  it('records sockets again after Redis has lost everything but the chats', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    const { redis } = stack.store;
    // The chats consist of their streams and of the outboxes, in which their events wait for PostgreSQL.
    const lostKeys = (await stack.store.listKeys()).filter((key) => !/:(chat:|outbox)/.test(key));
    await Promise.all(lostKeys.map((key) => redis.del(key)));
    await until(async () => (await readSocketRecords(sessionId)).length === 2);
    // Redis publishes a message to the replicas of the recorded sockets, so Bob's replica receives it again.
    await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    await bobSocket.next('random_message');
    expect(listConnectionStates(bobSocket)).toEqual([]); // Ada was never shown as reconnecting
  });

  it('restores presence after a replica did not renew its lease in time', async () => {
    // Without a lease, its proof of life in Redis, a replica is treated as dead.
    const { ada, bobSocket, sessionId } = await startChat();
    const lease = stack.replicas[0]!.app.get(ReplicaLeaseService);
    const renewSpy = jest
      .spyOn(lease as unknown as { renew(): Promise<void> }, 'renew')
      .mockImplementation(async () => undefined);
    await until(() => listConnectionStates(bobSocket).at(-1) === 'reconnecting');
    renewSpy.mockRestore();
    await until(() => listConnectionStates(bobSocket).at(-1) === 'connected');
    expect((await readSocketRecords(sessionId)).some(isRecordOf(ada.user.id))).toBe(true);
  });
});
