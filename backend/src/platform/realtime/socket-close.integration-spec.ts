// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process. A socket's `ask` returns the answer to
// a frame, which may be an error.
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { findServerConnections, sendAtOnce, getSocketsKey } from '../../testing/test-sockets.functions';
import { type ThawSocket, type ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { FLOODING_AFTER_REFUSALS, realtimeLimits } from './realtime.limits';
import { UserPublisherService } from './user-publisher.service';

jest.setTimeout(30_000);

describe('a socket', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /** Signs up a visitor at the first replica. */
  const createVisitor = (): Promise<ThawVisitor> => stack.createVisitor(0, 'male');
  /** Opens an authenticated socket of a new visitor. */
  const openSocket = async (): Promise<ThawSocket> => (await createVisitor()).openSocket();
  /** Opens as many sockets of a visitor as a user may have, on both replicas in turn. */
  const openMaximum = async (visitor: ThawVisitor): Promise<ThawSocket[]> => {
    const sockets: ThawSocket[] = [];
    for (let index = 0; index < limits.socketsPerUser; index += 1) {
      sockets.push(await visitor.openSocket(stack.origins[index % 2]));
    }
    return sockets;
  };
  const expectServed = async (...sockets: ThawSocket[]): Promise<void> => {
    for (const socket of sockets) expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  };

  it(`is closed with 1008 after ${limits.invalidFramesBeforeClose} invalid frames`, async () => {
    const socket = await openSocket();
    const allowedCount = limits.invalidFramesBeforeClose - 1;
    for (let count = 0; count < allowedCount; count += 1) socket.send('{');
    await expectServed(socket);
    socket.send('{"event":"dance"}'); // counts like invalid JSON
    expect(await socket.closed).toBe(closeCodes.policyViolation);
    expect(socket.all('error')).toHaveLength(limits.invalidFramesBeforeClose);
  });

  it('stays open when many valid frames are refused', async () => {
    const socket = await openSocket();
    for (let count = 0; count < 2 * limits.invalidFramesBeforeClose; count += 1) {
      expect(await socket.ask('skip_chat', { sessionId: 'nowhere' })).toMatchObject({
        data: { code: 'not_in_session' },
      });
    }
  });

  it('is closed with 1003 for a binary frame', async () => {
    const socket = await openSocket();
    socket.webSocket.send(Buffer.from('{"event":"ping"}'));
    expect(await socket.closed).toBe(closeCodes.unsupportedData);
  });

  it('is closed with 1009 for a frame over 16 KiB, but not for a frame of exactly 16 KiB', async () => {
    const buildPing = (filler: string) => JSON.stringify({ event: 'ping', ref: 'big', data: { filler } });
    const buildPingOfSize = (bytes: number) => buildPing('x'.repeat(bytes - buildPing('').length));
    const socket = await openSocket();
    socket.send(buildPingOfSize(limits.frameMaxBytes));
    await until(() => socket.frames.some(({ ref }) => ref === 'big'));
    socket.send(buildPingOfSize(limits.frameMaxBytes + 1));
    expect(await socket.closed).toBe(closeCodes.messageTooBig);
  });

  it('is closed for a frame of 20 MiB, while another socket is still served', async () => {
    const other = await openSocket();
    const socket = await openSocket();
    socket.webSocket.send('x'.repeat(20 * 1024 * 1024));
    // The connection may be cut while the client is still sending, before it reads the close frame.
    expect([closeCodes.messageTooBig, closeCodes.abnormal]).toContain(await socket.closed);
    await expectServed(other);
  });

  it('is closed for a flood of tiny fragments, while another socket is still served', async () => {
    const other = await openSocket();
    const socket = await openSocket();
    // Far more fragments than `realtimeLimits.maxFragments`.
    for (let count = 0; count < 50_000; count += 1) socket.webSocket.send('x', { fin: false });
    // The connection may be cut while the client is still sending, before it reads the close frame.
    expect([closeCodes.policyViolation, closeCodes.abnormal]).toContain(await socket.closed);
    await expectServed(other);
  });

  it('is closed with 4401 immediately when its cookie is missing or forged', async () => {
    const visitor = await createVisitor();
    const cookieWithForgedSignature = visitor.cookie.replace(/.{8}$/, 'AAAAAAAA');
    const cookies = ['', 'thaw.sid=nonsense', 'thaw.sid=s%3Anonsense.nonsense', cookieWithForgedSignature];
    for (const cookie of cookies) {
      const socket = await visitor.openUnauthenticatedSocket(undefined, { cookie });
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
      expect(socket.frames).toEqual([]);
    }
  });

  it('is closed with 4403 when it authenticates as another user', async () => {
    const [visitor, victim] = [await createVisitor(), await createVisitor()];
    const socket = await visitor.openUnauthenticatedSocket();
    socket.send({ event: 'authenticate', data: { userId: victim.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.userMismatch);
    expect(socket.frames).toEqual([]);
  });

  it('is closed with 4408 when it does not authenticate in time', async () => {
    // The type of `limits` (`as const`) allows no other value.
    const writableLimits: { authenticateTimeoutMs: number } = limits;
    jest.replaceProperty(writableLimits, 'authenticateTimeoutMs', 100);
    const visitor = await createVisitor();
    const silent = await visitor.openUnauthenticatedSocket();
    const authenticated = await visitor.openSocket();
    expect(await silent.closed).toBe(closeCodes.authenticateTimeout);
    await expectServed(authenticated);
  });

  it('is closed with 4409 when it is the oldest of more than five sockets of a user, on any replica', async () => {
    const visitor = await createVisitor();
    const [oldest, second, ...others] = await openMaximum(visitor);
    const sixth = await visitor.openSocket(stack.origins[1]);
    expect(await oldest!.closed).toBe(closeCodes.tooManySockets);
    const seventh = await visitor.openSocket(stack.origins[0]);
    expect(await second!.closed).toBe(closeCodes.tooManySockets);
    await expectServed(...others, sixth, seventh);
  });

  it('stays open when the same user closes one of five sockets and opens another', async () => {
    const visitor = await createVisitor();
    const sockets = await openMaximum(visitor);
    await sockets.pop()!.closeCleanly();
    const countRecorded = () => stack.store.redis.hlen(getSocketsKey(visitor.user.id));
    await until(countRecorded, (count) => count === sockets.length);
    const newSocket = await visitor.openSocket();
    await expectServed(...sockets, newSocket);
  });

  it('is closed with 1013 when its client does not read, while other sockets are served', async () => {
    const visitor = await createVisitor();
    const [slow, quick] = [await visitor.openSocket(), await visitor.openSocket()];
    const countOpenConnections = () =>
      findServerConnections(stack.replicas[0]!, visitor.user.id).filter(({ isOpen }) => isOpen).length;
    slow.webSocket.pause();
    const publisher = stack.replicas[0]!.app.get(UserPublisherService);
    // Any event would do: only the size of the frame matters.
    const largeFrame = JSON.stringify({ event: 'friendship_removed', data: { filler: 'x'.repeat(60_000) } });
    // Publishes until the server has closed one of the two sockets. Before that, some megabytes fill the kernel buffers
    // of both ends. While `slow` is paused, it does not read the close frame, so `slow.closed` cannot show this.
    await until(async () => {
      for (let count = 0; count < 20; count += 1) {
        await publisher.publish(visitor.user.id, { kind: 'frame', frame: largeFrame });
      }
      return countOpenConnections() === 1;
    });
    await expectServed(quick);
    slow.webSocket.resume();
    expect(await slow.closed).toBe(closeCodes.consumerTooSlow);
  });

  it(`is closed with 4429 when more than ${realtimeLimits.maxQueuedFrames} frames are queued`, async () => {
    const leaveQueue = { event: 'leave_queue' };
    const withinLimit = await openSocket();
    sendAtOnce(withinLimit, [
      ...Array.from({ length: realtimeLimits.maxQueuedFrames - 1 }, () => leaveQueue),
      { event: 'ping', ref: 'last' },
    ]);
    await until(() => withinLimit.frames.some(({ ref }) => ref === 'last'));
    // Four times the limit, because some frames are handled while others arrive.
    const flooding = await openSocket();
    sendAtOnce(
      flooding,
      Array.from({ length: 4 * realtimeLimits.maxQueuedFrames }, () => leaveQueue),
    );
    expect(await flooding.closed).toBe(closeCodes.flooding);
  });

  it('is closed with 4429 when its client keeps sending after `rate_limited` errors', async () => {
    const strict = await stack.addReplica({ LIMITS_PROFILE: 'strict' });
    const visitor = await createVisitor();
    const socket = await visitor.openSocket(strict.origin);
    /** @returns the answer to a ping; undefined if the socket is closed */
    const ping = () => Promise.race([socket.ask('ping', {}), socket.closed.then(() => undefined)]);
    let refusedCount = 0;
    for (let answer = await ping(); answer; answer = await ping()) {
      if (answer.event === 'pong') continue;
      refusedCount += 1;
      expect(answer.data).toMatchObject({ code: 'rate_limited' });
      expect(answer.data.retryAfterMs).toBeGreaterThan(0);
    }
    expect(await socket.closed).toBe(closeCodes.flooding);
    // A client that ignores only a few errors stays connected. Half of the limit is a loose lower bound.
    expect(refusedCount).toBeGreaterThanOrEqual(FLOODING_AFTER_REFUSALS / 2);
  });
});
