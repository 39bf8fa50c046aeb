// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { joinScript } from '../../../platform/hot-log/chat-presence.scripts';
import { ChatPresenceService } from '../../../platform/hot-log/chat-presence.service';
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, textMessage, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { LiveChatService } from './live-chat.service';

jest.setTimeout(60_000);

describe('presence in chats, when a call or a store fails', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
      // Grace periods: how long a chat waits for a user whose last socket was closed, or lost its connection.
      GRACE_AFTER_CLEAN_CLOSE_MS: '1500',
      GRACE_AFTER_LOSS_MS: '3000',
    });
    // Sweeps end abandoned chats. A replica sweeps only after it has been up for some seconds.
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  // In every chat, Ada's sockets are on the first replica, and Bob's are on the second.
  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
  const getAppOfAda = () => stack.replicas[0]!.app;

  const readSocketRecords = (sessionId: string): Promise<string[]> =>
    stack.store.redis.hvals(chatKeys(findShard(sessionId)).sockets(sessionId));
  /** The second field of a socket's record is the id of its user. */
  const countSocketsOf = async (userId: number, sessionId: string): Promise<number> =>
    (await readSocketRecords(sessionId)).filter((record) => record.split('|')[1] === String(userId)).length;

  /** The states of the partner that a user was shown. */
  const listPartnerStates = (socket: ThawSocket) =>
    socket.all('partner_connection').map(({ state }) => state);
  const waitUntilPartnerIs = (state: 'connected' | 'reconnecting', socket: ThawSocket) =>
    until(() => listPartnerStates(socket).at(-1) === state);

  it('removes the record of a socket whose join timed out after Redis had executed it', async () => {
    const { ada, adaSocket, bobSocket, sessionId } = await startChat();
    const run = joinScript.run.bind(joinScript);
    jest.spyOn(joinScript, 'run').mockImplementationOnce(async (...parameters) => {
      await run(...parameters);
      throw new Error('Command timed out');
    });
    // A second socket of Ada, as of another tab.
    const failedSocket = await ada.openUnauthenticatedSocket(stack.origins[0]);
    failedSocket.send({
      event: 'authenticate',
      data: { userId: ada.user.id, lastSeen: { sessionId, seq: 1 } },
    });
    await failedSocket.closed;
    await until(async () => (await countSocketsOf(ada.user.id, sessionId)) === 1);
    // The remaining record is that of `adaSocket`. With a record of the failed socket, Ada would still be present.
    await adaSocket.closeCleanly();
    expect(await bobSocket.next('partner_connection')).toMatchObject({ state: 'reconnecting' });
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  /** Makes both replicas fail to read a chat, and so to end it. @returns a function that lets them read it again */
  const failToRead = (unreadableSessionId: string): (() => void) => {
    const spies = stack.replicas.map(({ app }) => {
      const liveChats = app.get(LiveChatService);
      const read = liveChats.read.bind(liveChats);
      return jest.spyOn(liveChats, 'read').mockImplementation(async (sessionId) => {
        if (sessionId === unreadableSessionId) throw new Error('This chat cannot be read');
        return read(sessionId);
      });
    });
    return () => spies.forEach((spy) => spy.mockRestore());
  };

  it('ends other abandoned chats when one chat cannot be ended, and ends this chat later', async () => {
    const chats = [];
    for (let index = 0; index < 6; index += 1) chats.push(await startChat());
    // Shards are swept in order. The chat that fails is in the first one, so that the sweep has to go on after it.
    chats.sort((a, b) => findShard(a.sessionId) - findShard(b.sessionId));
    const [failingChat, ...otherChats] = chats;
    const letRead = failToRead(failingChat!.sessionId);
    await Promise.all(chats.map(({ adaSocket }) => adaSocket.closeCleanly()));
    for (const { bobSocket } of otherChats) await bobSocket.next('chat_skipped');
    expect(failingChat!.bobSocket.all('chat_skipped')).toEqual([]);
    letRead();
    await failingChat!.bobSocket.next('chat_skipped');
  });

  /** Holds back the next join on Ada's replica. @returns a function that lets it continue */
  const holdBackNextJoin = (): (() => void) => {
    const presence = getAppOfAda().get(ChatPresenceService);
    const join = presence.join.bind(presence);
    let continueJoin: () => void = () => undefined;
    const joinMayContinue = new Promise<void>((resolve) => (continueJoin = resolve));
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...parameters) => {
      await joinMayContinue;
      return join(...parameters);
    });
    return () => continueJoin();
  };

  it("shows the partner as reconnecting if their socket closes before the user's own join completes", async () => {
    const continueJoin = holdBackNextJoin();
    // Not `startChat`, which waits until both users have joined.
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
    await waitUntilPartnerIs('reconnecting', adaSocket);
    const presence = getAppOfAda().get(ChatPresenceService);
    const join = presence.join.bind(presence);
    const joinReplies: string[] = [];
    // The reply to the join of Ada's second socket arrives after Bob's return has been published.
    jest.spyOn(presence, 'join').mockImplementationOnce(async (...parameters) => {
      const reply = await join(...parameters);
      joinReplies.push(reply);
      await bob.openSocket(stack.origins[1], { sessionId, seq: 1 });
      await waitUntilPartnerIs('connected', adaSocket);
      return reply;
    });
    const secondSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
    await secondSocket.next('session_resumed');
    expect(joinReplies).toEqual(['reconnecting']);
    const liveChats = getAppOfAda().get(LiveChatService);
    const isBobAway = await liveChats.withChat(sessionId, async (chat) => chat.isAway(bob.user.id));
    expect(isBobAway).toBe(false);
  });

  it('starts the grace period when no socket of a user shows the chat, and stops it when one does', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    const showChat = (showsChat: boolean) => adaSocket.request('show_chat', { sessionId, showsChat });
    await showChat(false);
    await waitUntilPartnerIs('reconnecting', bobSocket);
    await showChat(true);
    await waitUntilPartnerIs('connected', bobSocket);
    await showChat(false);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected' });
  });

  it('records sockets again after Redis has lost everything but the chats', async () => {
    const { adaSocket, bobSocket, sessionId } = await startChat();
    const { redis } = stack.store;
    // The chats consist of their streams and of the outboxes, in which their events wait for PostgreSQL.
    const isKeyOfChats = (key: string): boolean => /:(chat:|outbox)/.test(key);
    const lostKeys = (await stack.store.listKeys()).filter((key) => !isKeyOfChats(key));
    await Promise.all(lostKeys.map((key) => redis.del(key)));
    await until(async () => (await readSocketRecords(sessionId)).length === 2);
    // Redis publishes a message to the replicas of the recorded sockets, so Bob's replica receives it again.
    await adaSocket.request('random_message', textMessage(sessionId, 'still here'));
    await bobSocket.next('random_message');
    expect(listPartnerStates(bobSocket)).toEqual([]); // Ada was never shown as reconnecting
  });

  it('restores presence after a replica did not renew its lease in time', async () => {
    const { ada, bobSocket, sessionId } = await startChat();
    const lease = getAppOfAda().get(ReplicaLeaseService);
    const renewSpy = jest
      .spyOn(lease as unknown as { renew(): Promise<void> }, 'renew')
      .mockImplementation(async () => undefined);
    // Without a lease, Ada's replica counts as dead, and the other replica evicts its sockets.
    await waitUntilPartnerIs('reconnecting', bobSocket);
    renewSpy.mockRestore();
    await waitUntilPartnerIs('connected', bobSocket);
    expect(await countSocketsOf(ada.user.id, sessionId)).toBeGreaterThan(0);
  });
});
