// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process. `createVisitor(0)` signs up a visitor
// at the first one.
import { randomUUID } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { estimateCpuSlowdown } from '../../testing/processor-load.probe';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { ThawVisitor } from '../../testing/thaw.client';
import { matchingKeys } from '../redis/redis.keys';
import { realtimeLimits } from './realtime.limits';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';
import { SocketRegistry } from './socket.registry';
import { UserPublisherService } from './user-publisher.service';

jest.setTimeout(30_000);

describe('sockets of a login', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const password = 'correct horse';
  /** Creates an account with two logins. */
  const registerAndLogInAgain = async () => {
    const email = `${randomUUID()}@example.org`;
    const [origin = ''] = stack.origins;
    const firstLogin = await new ThawVisitor([origin]).register(email, password, 'male');
    const secondLogin = await new ThawVisitor([origin]).logIn(email, password);
    return { firstLogin, secondLogin };
  };

  it('are closed on every replica at logout, while sockets of other logins stay open', async () => {
    const { firstLogin, secondLogin } = await registerAndLogInAgain();
    const endedSockets = await Promise.all(stack.origins.map((origin) => firstLogin.openSocket(origin)));
    const unaffectedSockets = await Promise.all(
      stack.origins.map((origin) => secondLogin.openSocket(origin)),
    );
    const loggedOutAt = Date.now();
    await firstLogin.logOut();
    expect(await Promise.all(endedSockets.map(({ closed }) => closed))).toEqual([
      closeCodes.notSignedIn,
      closeCodes.notSignedIn,
    ]);
    // Takes about a second on an idle machine. The periodic check alone would take up to `loginCheckMs` (30 s). A limit
    // of 5 s distinguishes the two.
    const maxCloseMs = realtimeLimits.loginCheckMs / 6;
    expect(Date.now() - loggedOutAt).toBeLessThan(maxCloseMs * estimateCpuSlowdown());
    for (const socket of unaffectedSockets)
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('stay open when the session id is rotated', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const socket = await visitor.openSocket(stack.origins[1]);
    // Registering an anonymous account rotates its session id.
    const converted = await visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: `${randomUUID()}@example.org`,
      password,
    });
    expect(converted.status).toBe(200);
    // The periodic check.
    await stack.replicas[1]!.app.get(SocketRegistry).closeEndedLogins();
    expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('are closed by the periodic check when the publication of the logout is lost', async () => {
    const { firstLogin, secondLogin } = await registerAndLogInAgain();
    const endedSocket = await firstLogin.openSocket(stack.origins[1]);
    const unaffectedSocket = await secondLogin.openSocket(stack.origins[1]);
    jest.spyOn(stack.replicas[0]!.app.get(UserPublisherService), 'publish').mockResolvedValue();
    await firstLogin.logOut();
    // Without the publication, the socket is still open.
    expect(await endedSocket.ask('ping', {})).toMatchObject({ event: 'pong' });
    await stack.replicas[1]!.app.get(SocketRegistry).closeEndedLogins();
    expect(await endedSocket.closed).toBe(closeCodes.notSignedIn);
    expect(await unaffectedSocket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('are closed, and their first frame is ignored, when the login ends during the upgrade', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const identities = stack.replicas[1]!.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    const identify = identities.identify.bind(identities);
    jest.spyOn(identities, 'identify').mockImplementationOnce(async (request) => {
      const identity = await identify(request);
      await visitor.logOut();
      return identity;
    });
    const socket = await visitor.openUnauthenticatedSocket(stack.origins[1]);
    socket.send({ event: 'authenticate', data: { userId: visitor.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames).toEqual([]);
    // The user has not entered the queue.
    expect(await stack.store.listKeys(matchingKeys.user(visitor.user.id))).toEqual([]);
  });
});
