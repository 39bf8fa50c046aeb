// Runs against real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
// A user has one socket for each tab; `adaSocket` is the first of `adaSockets`. `closeCleanly` closes a socket as a
// page does; `terminate` loses the connection. When the answer to a frame is an error, `request` throws, and `ask`
// returns it.
import { ReplicaLeaseService } from '../../../platform/realtime/replica-lease.service';
import { findShard, chatKeys } from '../../../platform/redis/redis.keys';
import { estimateCpuSlowdown } from '../../../testing/processor-load.probe';
import { type TestChat, readEvents, startChat, waitForSeq } from '../../../testing/random-chat.fixture';
import { type TestStack, quickChatSettings, startTestStack } from '../../../testing/test-stack.harness';
import { textMessage } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/** How long a chat waits for a user after a lost connection. */
const GRACE_AFTER_LOSS_MS = 4_000;

describe('random chat: grace period', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, {
      ...quickChatSettings,
      GRACE_AFTER_LOSS_MS: String(GRACE_AFTER_LOSS_MS),
    });
    // Sweeps end abandoned chats. A replica sweeps only after it has been up for some seconds.
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  describe('a user who is away', () => {
    it('is reported as reconnecting, and as connected after the return', async () => {
      const { ada, adaSocket, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 1,
        bobTabs: 2,
      });
      const cutAt = Date.now();
      await adaSocket.terminate();
      for (const socket of bobSockets) {
        expect(await socket.next('partner_connection')).toEqual({ sessionId, state: 'reconnecting' });
      }
      // The report takes about a second on an idle machine. If it depended on the lease of the replica, it would take
      // four seconds or more.
      expect(Date.now() - cutAt).toBeLessThan(3_000 * estimateCpuSlowdown());
      expect(bobSocket.all('chat_skipped')).toEqual([]);
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      for (const socket of bobSockets) {
        await socket.next('partner_connection', (data) => data.state === 'connected');
        expect(socket.all('partner_connection')).toHaveLength(2);
      }
    });

    it('is reported as reconnecting in a resume as well', async () => {
      const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.terminate();
      await bobSocket.next('partner_connection');
      const newSocket = await bob.openSocket(stack.origins[0], { sessionId, seq: 1 });
      expect(await newSocket.next('session_resumed')).toMatchObject({
        partnerConnection: 'reconnecting',
        partnerInfo: { isOnline: false },
      });
      await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      expect(await newSocket.next('partner_connection')).toEqual({ sessionId, state: 'connected' });
    });

    it('is not reported as reconnecting while another tab of theirs is open', async () => {
      const { adaSocket, adaSockets, bobSocket, bobSockets, sessionId } = await startChat(stack, {
        adaTabs: 2,
        bobTabs: 1,
      });
      await adaSocket.terminate();
      await adaSockets[1]!.request('random_message', textMessage(sessionId, 'here'));
      await waitForSeq(bobSockets, sessionId, 2);
      expect(bobSocket.all('partner_connection')).toEqual([]);
    });

    it('loses the chat after a grace period, which is longer after a lost connection than after a clean close', async () => {
      const closedChat = await startChat(stack);
      const lostChat = await startChat(stack);
      const leftAt = Date.now();
      const waitForEnd = async ({ bobSocket }: TestChat) => {
        const data = await bobSocket.next('chat_skipped');
        return { data, afterMs: Date.now() - leftAt };
      };
      await Promise.all([closedChat.adaSocket.closeCleanly(), lostChat.adaSocket.terminate()]);
      const [endAfterClose, endAfterLoss] = await Promise.all([waitForEnd(closedChat), waitForEnd(lostChat)]);
      expect(endAfterClose.data).toEqual({
        sessionId: closedChat.sessionId,
        seq: 2,
        reason: 'disconnected',
        endedBy: null,
      });
      expect(endAfterLoss.data).toMatchObject({ sessionId: lostChat.sessionId, reason: 'disconnected' });
      expect(endAfterClose.afterMs).toBeGreaterThanOrEqual(
        Number(quickChatSettings.GRACE_AFTER_CLEAN_CLOSE_MS),
      );
      expect(endAfterLoss.afterMs).toBeGreaterThanOrEqual(GRACE_AFTER_LOSS_MS);
      expect(endAfterClose.afterMs).toBeLessThan(endAfterLoss.afterMs);
    });

    it('continues the chat after a return within the grace period', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      const abandonedChat = await startChat(stack);
      await Promise.all([adaSocket.closeCleanly(), abandonedChat.adaSocket.terminate()]);
      const newSocket = await ada.openSocket(stack.origins[1], { sessionId, seq: 1 });
      // The other chat ends after the longer grace period, so the sweeps would have ended this chat, too.
      await abandonedChat.bobSocket.next('chat_skipped');
      await bobSocket.request('random_message', textMessage(sessionId, 'welcome back'));
      expect(await newSocket.next('random_message')).toMatchObject({ seq: 2 });
    });

    it('is informed of the end of the chat after a return that is too late', async () => {
      const { ada, adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.closeCleanly();
      await bobSocket.next('chat_skipped');
      const lateSocket = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
      expect(await lateSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    });

    it('no longer keeps the partner from searching once the chat has ended', async () => {
      const { adaSocket, bobSocket } = await startChat(stack);
      await adaSocket.closeCleanly();
      await bobSocket.next('chat_skipped');
      expect(await bobSocket.ask('join_queue', { preferences: 'female' })).toMatchObject({ event: 'ack' });
    });

    it('leaves no deadline behind when the partner skips during the grace period', async () => {
      const { adaSocket, bobSocket, sessionId } = await startChat(stack);
      await adaSocket.closeCleanly();
      await bobSocket.next('partner_connection');
      await bobSocket.request('skip_chat', { sessionId });
      await until(async () => {
        const deadlines = await stack.store.redis.zrange(chatKeys(findShard(sessionId)).deadlines, '0', '-1');
        return !deadlines.some((member) => member.startsWith(sessionId));
      });
      expect((await readEvents(stack, sessionId)).map(({ type }) => type)).toEqual([
        'ChatStarted',
        'ChatEnded',
      ]);
    });
  });
});
