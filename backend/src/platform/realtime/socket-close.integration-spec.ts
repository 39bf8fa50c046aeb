// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process. `createVisitor(0)` signs up a visitor
// at the first one. `ask` resolves with the answer to a frame, which may be an error.
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { findServerConnections, sendAtOnce, getSocketsKey } from '../../testing/test-sockets.functions';
import { type ThawSocket } from '../../testing/thaw.client';
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

  /** Opens an authenticated socket of a new visitor. */
  const openSocket = async (): Promise<ThawSocket> => (await stack.createVisitor(0, 'male')).openSocket();

  it(`is closed with 1008 at invalid frame ${limits.invalidFramesBeforeClose}`, async () => {
    const socket = await openSocket();
    for (let count = 1; count < limits.invalidFramesBeforeClose; count += 1) socket.send('{');
    expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
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
    const buildPingOfSize = (bytes: number) => {
      const empty = JSON.stringify({ event: 'ping', ref: 'big', data: { x: '' } });
      return empty.replace('"x":""', `"x":"${'x'.repeat(bytes - empty.length)}"`);
    };
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
    expect(await other.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('is closed for a flood of tiny fragments, while another socket is still served', async () => {
    const other = await openSocket();
    const socket = await openSocket();
    // Far more fragments than `realtimeLimits.maxFragments`.
    for (let count = 0; count < 50_000; count += 1) socket.webSocket.send('x', { fin: false });
    // The connection may be cut while the client is still sending, before it reads the close frame.
    expect([closeCodes.policyViolation, closeCodes.abnormal]).toContain(await socket.closed);
    expect(await other.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('is closed with 4401 immediately when its cookie is missing or forged', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const cookieWithForgedSignature = visitor.cookie.replace(/.{8}$/, 'AAAAAAAA');
    const cookies = ['', 'thaw.sid=nonsense', 'thaw.sid=s%3Anonsense.nonsense', cookieWithForgedSignature];
    for (const cookie of cookies) {
      const socket = await visitor.openUnauthenticatedSocket(undefined, { cookie });
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
      expect(socket.frames).toEqual([]);
    }
  });

  it('is closed with 4403 when it authenticates as another user', async () => {
    const victim = await stack.createVisitor(0, 'male');
    const socket = await (await stack.createVisitor(0, 'male')).openUnauthenticatedSocket();
    socket.send({ event: 'authenticate', data: { userId: victim.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.userMismatch);
    expect(socket.frames).toEqual([]);
  });

  it('is closed with 4408 when it does not authenticate in time', async () => {
    // The type of `limits` (`as const`) allows no other value.
    const writableLimits: { authenticateTimeoutMs: number } = limits;
    jest.replaceProperty(writableLimits, 'authenticateTimeoutMs', 100);
    const visitor = await stack.createVisitor(0, 'male');
    const silent = await visitor.openUnauthenticatedSocket();
    const authenticated = await visitor.openSocket();
    expect(await silent.closed).toBe(closeCodes.authenticateTimeout);
    expect(await authenticated.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('is closed with 4409 when it is the oldest of more than five sockets of a user, on any replica', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const sockets: ThawSocket[] = [];
    for (let index = 0; index < limits.socketsPerUser; index += 1) {
      sockets.push(await visitor.openSocket(stack.origins[index % 2]));
    }
    const [oldest, second] = sockets;
    const sixth = await visitor.openSocket(stack.origins[1]);
    expect(await oldest!.closed).toBe(closeCodes.tooManySockets);
    const seventh = await visitor.openSocket(stack.origins[0]);
    expect(await second!.closed).toBe(closeCodes.tooManySockets);
    for (const socket of [...sockets.slice(2), sixth, seventh]) {
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    }
    // After a socket has closed, another can open without closing the oldest.
    await seventh.closeCleanly();
    await until(
      async () =>
        (await stack.store.redis.hlen(getSocketsKey(visitor.user.id))) === limits.socketsPerUser - 1,
    );
    const eighth = await visitor.openSocket();
    for (const socket of [...sockets.slice(2), sixth, eighth]) {
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    }
  });

  it('is closed with 1013 when its client does not read, while other sockets are served', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const [slow, quick] = [await visitor.openSocket(), await visitor.openSocket()];
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
      return (
        findServerConnections(stack.replicas[0]!, visitor.user.id).filter(({ isOpen }) => isOpen).length === 1
      );
    });
    expect(await quick.ask('ping', {})).toMatchObject({ event: 'pong' });
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
    const visitor = await stack.createVisitor(0, 'male');
    const socket = await visitor.openSocket(strict.origin);
    let isClosed = false;
    void socket.closed.then(() => (isClosed = true));
    let refusedCount = 0;
    while (!isClosed) {
      const reply = await Promise.race([socket.ask('ping', {}), socket.closed]);
      if (typeof reply === 'number') break; // the close code
      if (reply.event !== 'error') continue;
      refusedCount += 1;
      expect(reply.data).toMatchObject({ code: 'rate_limited' });
      expect(reply.data.retryAfterMs).toBeGreaterThan(0);
    }
    expect(await socket.closed).toBe(closeCodes.flooding);
    // A client that ignores only a few errors stays connected. Half of the limit is a loose lower bound.
    expect(refusedCount).toBeGreaterThanOrEqual(FLOODING_AFTER_REFUSALS / 2);
  });
});
