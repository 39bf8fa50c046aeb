// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process.
import { randomUUID } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { estimateCpuSlowdown } from '../../testing/processor-load.probe';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { type ThawSocket, ThawVisitor } from '../../testing/thaw.client';
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
  /** Creates an account and logs in to it twice, at the first replica. */
  const registerAndLogInAgain = async () => {
    const email = `${randomUUID()}@example.org`;
    const [origin = ''] = stack.origins;
    const firstLogin = await new ThawVisitor([origin]).register(email, password, 'male');
    const secondLogin = await new ThawVisitor([origin]).logIn(email, password);
    return { firstLogin, secondLogin };
  };
  /** Signs in an anonymous user at the first replica. */
  const createVisitor = () => stack.createVisitor(0, 'male');
  const openSocketOnEachReplica = (login: ThawVisitor) =>
    Promise.all(stack.origins.map((origin) => login.openSocket(origin)));
  const expectOpen = async (socket: ThawSocket): Promise<void> =>
    expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  /** Runs the periodic check of the second replica. */
  const closeSocketsOfEndedLogins = () =>
    stack.replicas[1]!.app.get(SocketRegistry).closeSocketsOfEndedLogins();

  it('are closed on every replica at logout, while sockets of other logins stay open', async () => {
    const { firstLogin, secondLogin } = await registerAndLogInAgain();
    const firstSockets = await openSocketOnEachReplica(firstLogin);
    const secondSockets = await openSocketOnEachReplica(secondLogin);
    const loggedOutAt = Date.now();
    await firstLogin.logOut();
    expect(await Promise.all(firstSockets.map(({ closed }) => closed))).toEqual([
      closeCodes.notSignedIn,
      closeCodes.notSignedIn,
    ]);
    // 5 s: longer than the publication of the logout needs (about 1 s on an idle machine), and much shorter than the
    // interval of the periodic check.
    const maxCloseMs = realtimeLimits.loginCheckMs / 6;
    expect(Date.now() - loggedOutAt).toBeLessThan(maxCloseMs * estimateCpuSlowdown());
    for (const socket of secondSockets) await expectOpen(socket);
  });

  it('stay open when the session id is rotated', async () => {
    const visitor = await createVisitor();
    const socket = await visitor.openSocket(stack.origins[1]);
    // Registering an anonymous account rotates its session id.
    const converted = await visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: `${randomUUID()}@example.org`,
      password,
    });
    expect(converted.status).toBe(200);
    await closeSocketsOfEndedLogins();
    await expectOpen(socket);
  });

  it('are closed by the periodic check when the publication of the logout is lost', async () => {
    const { firstLogin, secondLogin } = await registerAndLogInAgain();
    const firstSocket = await firstLogin.openSocket(stack.origins[1]);
    const secondSocket = await secondLogin.openSocket(stack.origins[1]);
    // The first replica publishes nothing to the second.
    jest.spyOn(stack.replicas[0]!.app.get(UserPublisherService), 'publish').mockResolvedValue();
    await firstLogin.logOut();
    await expectOpen(firstSocket);
    await closeSocketsOfEndedLogins();
    expect(await firstSocket.closed).toBe(closeCodes.notSignedIn);
    await expectOpen(secondSocket);
  });

  it('are closed, and their first frame is ignored, when the login ends during the upgrade', async () => {
    const visitor = await createVisitor();
    const identities = stack.replicas[1]!.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    const identify = identities.identify.bind(identities);
    // Logs out after the server has found the login to be valid, and before it opens the socket.
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
