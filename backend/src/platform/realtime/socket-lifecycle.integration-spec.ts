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
    /**
     * Resolves when the server has received the pong by which the client has answered a ping of the WebSocket protocol.
     * The client sends the frame `ping` after that pong, so the pong has arrived when the frame is answered.
     */
    const waitUntilProtocolPongArrived = async (socket: ThawSocket): Promise<void> => {
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    };

    it('pings a silent peer and keeps the socket when the peer answers', async () => {
      const socket = await openSocket();
      const [connection] = findServerConnections(stack.replicas[0]!, socket.userId);
      const protocolPing = new Promise((resolve) => socket.webSocket.once('ping', resolve));
      connection!.checkHeartbeat(Date.now()); // the silence begins with this check
      connection!.checkHeartbeat(Date.now() + realtimeLimits.pingEveryMs);
      await protocolPing;
      await waitUntilProtocolPongArrived(socket);
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

  describe.each<[stage: string, reachStage: (socket: ThawSocket) => unknown]>([
    ['before it authenticates', () => undefined],
    [
      'while it authenticates',
      (socket) => socket.send({ event: 'authenticate', data: { userId: socket.userId }, ref: 'a' }),
    ],
    ['after it has authenticated', (socket) => socket.request('authenticate', { userId: socket.userId })],
  ])('that closes %s', (_stage, reachStage) => {
    /** The server receives the events of each socket at slightly different times, so every case is repeated. */
    const REPETITIONS = 4;

    it.each<[closure: string, close: (socket: ThawSocket) => Promise<void>]>([
      ['with a close frame', (socket) => socket.closeCleanly()],
      ['without a close frame', (socket) => socket.terminate()],
    ])('leaves no record and no subscription, %s', async (_closure, close) => {
      const visitor = await stack.createVisitor(0, 'male');
      const { id } = visitor.user;
      const originOfEachSocket = [...stack.origins, ...stack.origins]; // two sockets on each replica
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
        await Promise.all(
          originOfEachSocket.map(async (origin) => {
            const socket = await visitor.openUnauthenticatedSocket(origin);
            await reachStage(socket);
            await close(socket);
          }),
        );
      }
      await until(() => stack.replicas.every((replica) => findServerConnections(replica, id).length === 0));
      await until(async () => (await stack.store.redis.hlen(getSocketsKey(id))) === 0);
      await until(async () => (await stack.store.countSubscribers(userChannel(id))) === 0);
      expect(await stack.store.listKeys(`*${id}*`)).toEqual([]);
    });
  });
});
