// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process.
import { randomUUID } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { estimateSlowdown } from '../../testing/processor-load.probe';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { ThawVisitor } from '../../testing/thaw.client';
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
  const registerAndLogInAgain = async () => {
    const email = `${randomUUID()}@example.org`;
    const [first = ''] = stack.origins;
    const one = await new ThawVisitor([first]).register(email, password, 'male');
    const other = await new ThawVisitor([first]).logIn(email, password);
    return { one, other };
  };

  it('are closed on every replica at logout, while sockets of other logins stay open', async () => {
    const { one, other } = await registerAndLogInAgain();
    const ended = await Promise.all(stack.origins.slice(0, 2).map((origin) => one.openSocket(origin)));
    const unaffected = await Promise.all(stack.origins.slice(0, 2).map((origin) => other.openSocket(origin)));
    const before = Date.now();
    await one.logOut();
    expect(await Promise.all(ended.map(({ closed }) => closed))).toEqual([
      closeCodes.notSignedIn,
      closeCodes.notSignedIn,
    ]);
    // Takes about a second on an idle machine; the periodic check alone would take 30 s.
    expect(Date.now() - before).toBeLessThan((realtimeLimits.loginCheckMs / 6) * estimateSlowdown());
    for (const socket of unaffected) expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('stay open when the session id is rotated', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const socket = await visitor.openSocket(stack.origins[1]);
    const converted = await visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: `${randomUUID()}@example.org`,
      password,
    });
    expect(converted.status).toBe(200);
    await stack.replicas[1]!.app.get<SocketRegistry>(SocketRegistry).closeEndedLogins();
    expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('are closed by the periodic check when the publication of the logout is lost', async () => {
    const { one, other } = await registerAndLogInAgain();
    const ended = await one.openSocket(stack.origins[1]);
    const unaffected = await other.openSocket(stack.origins[1]);
    jest.spyOn(stack.replicas[0]!.app.get(UserPublisherService), 'publish').mockResolvedValue();
    await one.logOut();
    expect(await ended.ask('ping', {})).toMatchObject({ event: 'pong' });
    await stack.replicas[1]!.app.get<SocketRegistry>(SocketRegistry).closeEndedLogins();
    expect(await ended.closed).toBe(closeCodes.notSignedIn);
    expect(await unaffected.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('are closed, and their first frame is ignored, when the login ends after the upgrade', async () => {
    const visitor = await stack.createVisitor(0, 'male');
    const identities = stack.replicas[1]!.app.get<SocketIdentityPort>(SOCKET_IDENTITY_PORT);
    const identify = identities.identify.bind(identities);
    jest.spyOn(identities, 'identify').mockImplementationOnce(async (request) => {
      const identity = await identify(request);
      await visitor.call('POST', '/api/logout');
      return identity;
    });
    const socket = await visitor.connect(stack.origins[1]);
    socket.send({ event: 'authenticate', data: { userId: visitor.user.id }, ref: 'a' });
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames).toEqual([]);
    expect(await stack.store.listKeys(`{matching}:user:${visitor.user.id}`)).toEqual([]);
  });
});
