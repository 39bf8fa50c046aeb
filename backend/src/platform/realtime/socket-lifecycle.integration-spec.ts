// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process. `createVisitor(0)` signs up a visitor
// at the first one. `closeCleanly` closes a socket as a page does, `terminate` ends its connection without a close
// frame.
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { findServerConnections, getSocketsKey } from '../../testing/test-sockets.functions';
import { type ThawSocket } from '../../testing/thaw.client';
import { until, untilWithin } from '../../testing/until.functions';
import { userChannel } from '../redis/redis.keys';
import { realtimeLimits } from './realtime.limits';
import { RedisSubscriberService } from './redis-subscriber.service';

jest.setTimeout(30_000);

describe('a socket', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /** Opens an authenticated socket of a new visitor. */
  const openSocket = async (): Promise<ThawSocket> => (await stack.createVisitor(0, 'male')).openSocket();

  describe('heartbeat', () => {
    it('pings a silent peer and keeps the socket when the peer answers', async () => {
      const socket = await openSocket();
      const [connection] = findServerConnections(stack.replicas[0]!, socket.userId);
      const pinged = new Promise((resolve) => socket.webSocket.once('ping', resolve));
      connection!.checkHeartbeat(Date.now()); // the silence begins with this check
      connection!.checkHeartbeat(Date.now() + realtimeLimits.pingEveryMs);
      await pinged;
      // The client has answered the ping of the WebSocket protocol before it sends this frame. When the frame is
      // answered, the server has therefore received that pong, too.
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
      connection!.checkHeartbeat(Date.now() + realtimeLimits.pingEveryMs + realtimeLimits.pongWithinMs);
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('disconnects a peer that does not answer', async () => {
      const socket = await openSocket();
      const [connection] = findServerConnections(stack.replicas[0]!, socket.userId);
      socket.webSocket.pause();
      connection!.checkHeartbeat(Date.now()); // the silence begins with this check
      const pingedAt = Date.now() + realtimeLimits.pingEveryMs;
      connection!.checkHeartbeat(pingedAt);
      connection!.checkHeartbeat(pingedAt + realtimeLimits.pongWithinMs - 1);
      expect(connection!.isOpen).toBe(true);
      connection!.checkHeartbeat(pingedAt + realtimeLimits.pongWithinMs);
      await connection!.closed;
      expect(findServerConnections(stack.replicas[0]!, socket.userId)).toEqual([]);
    });
  });

  it('leaves no record in Redis when it closes during its registration', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const { id } = visitor.user;
    const subscriber = stack.replicas[0]!.app.get(RedisSubscriberService);
    const subscribe = subscriber.subscribe.bind(subscriber);
    let continueRegistration: () => void = () => undefined;
    const mayContinue = new Promise<void>((resolve) => (continueRegistration = resolve));
    jest.spyOn(subscriber, 'subscribe').mockImplementationOnce(async (channel, listener) => {
      await subscribe(channel, listener);
      await mayContinue;
    });
    // The server knows the user of a socket from the session cookie and registers it before `authenticate`.
    const socket = await visitor.openUnauthenticatedSocket();
    const connection = await until(() => findServerConnections(stack.replicas[0]!, id)[0]);
    await socket.closeCleanly();
    await until(() => findServerConnections(stack.replicas[0]!, id).length === 0);
    continueRegistration();
    await connection?.ready;
    await untilWithin(1_000, async () => (await stack.store.listKeys(getSocketsKey(id))).length === 0);
  });

  it('leaves no record and no subscription after it closes, at any stage of its opening', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const { id } = visitor.user;
    // Each round opens two sockets on each replica and closes them at one of three stages: after `authenticate` was
    // sent (rounds 1, 5, ...), after it was answered (2, 6, ...), or without it (all other rounds). Odd rounds cut the
    // connections. Each stage is repeated, because the timing varies.
    for (let round = 0; round < 16; round += 1) {
      await Promise.all(
        [0, 1, 0, 1].map(async (replica) => {
          const socket = await visitor.openUnauthenticatedSocket(stack.origins[replica]);
          if (round % 4 === 1) socket.send({ event: 'authenticate', data: { userId: id }, ref: 'a' });
          if (round % 4 === 2) await socket.request('authenticate', { userId: id });
          await (round % 2 ? socket.terminate() : socket.closeCleanly());
        }),
      );
    }
    await until(
      () =>
        findServerConnections(stack.replicas[0]!, id).length +
          findServerConnections(stack.replicas[1]!, id).length ===
        0,
    );
    await until(async () => (await stack.store.redis.hlen(getSocketsKey(id))) === 0);
    await until(async () => (await stack.store.countSubscribers(userChannel(id))) === 0);
    expect(await stack.store.listKeys(`*${id}*`)).toEqual([]);
  });
});
