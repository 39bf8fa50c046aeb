// Uses real PostgreSQL, Redis and sockets, with api replicas in this process. A user's standing is what moderation
// allows them. Excluded users are suspended or banned; flagged users are matched only with each other.
import { closeCodes } from '@thaw/contract/close-codes';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createEmail, PASSWORD } from '../../testing/test-accounts.fixture';
import {
  announceStanding,
  askAge,
  flag,
  imposeSanction,
  addHoursToNow,
  liftSanction,
} from '../../testing/standings.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { matchNewVisitors, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { WaitingUserCheckService } from '../matching/application/waiting-user-check.service';
import { SocketRegistry } from '../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../platform/realtime/user-publisher.service';

jest.setTimeout(60_000);

const MAX_CLOSE_MS = 1_000;

/** Routes that excluded users may call. */
const openRoutes = [
  'GET /api/user/:id', // only for the user's own id, which another test checks
  'POST /api/login',
  'POST /api/logout',
  'POST /api/anonymous',
  'POST /api/convert-anonymous',
  'POST /api/appeals',
  'POST /api/user/:id/erasure',
  'POST /api/my-data/:userId/export',
];
/** Excluded users may also call all routes that begin with one of these. */
const openPrefixes = [
  'GET /api/docs',
  'GET /api/receipts',
  'GET /api/notices/',
  'PUT /api/notices/',
  'GET /api/my-data/exports/',
];
const isOpenToExcluded = (route: string): boolean =>
  openRoutes.includes(route) || openPrefixes.some((prefix) => route.startsWith(prefix));

/** No route of the product has more methods. */
const MAX_METHODS_OF_A_ROUTE = 7;

const listRoutes = (app: NestExpressApplication): string[] => {
  const { router } = app.getHttpAdapter().getInstance() as unknown as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    // The route for unknown paths has every method that Express knows, more than 30. It is left out.
    if (methods.length > MAX_METHODS_OF_A_ROUTE) return [];
    return methods.map((method) => `${method.toUpperCase()} ${route?.path}`);
  });
};

/** Replaces the parameters of a route (`:id`, `*path`) by an id. Braces, which mark optional parts, are removed. */
const fillPath = (path: string, id: number): string =>
  path.replace(/[:*]\w+/g, String(id)).replace(/[{}]/g, '');

describe('excluded users', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const getFirstReplica = () => stack.replicas[0]!;
  const getSecondReplica = () => stack.replicas[1]!;
  /** The status of a route that is not open to excluded users: 403 while the caller is excluded. */
  const readOrdinaryRouteStatus = async (caller: ThawVisitor): Promise<number> =>
    (await caller.call('GET', `/api/friends/${caller.user.id}`)).status;

  describe.each(['suspended', 'banned'] as const)('who are %s', (kind) => {
    it('receive their standing on all sockets and lose them, on every replica, within a second', async () => {
      const ada = await stack.createVisitor(0, 'female');
      const sockets = await Promise.all(stack.origins.map((origin) => ada.openSocket(origin)));
      const { noticeId } = await imposeSanction(getSecondReplica(), ada.user.id, { kind });
      const startedAt = Date.now();
      await announceStanding(getSecondReplica(), ada.user.id);
      expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([
        closeCodes.notSignedIn,
        closeCodes.notSignedIn,
      ]);
      expect(Date.now() - startedAt).toBeLessThan(MAX_CLOSE_MS);
      for (const socket of sockets) expect(socket.all('standing')).toMatchObject([{ kind, noticeId }]);
    });

    it('get 403 from all routes that are not open to them', async () => {
      const ada = await stack.createVisitor(0, 'female');
      await imposeSanction(getSecondReplica(), ada.user.id, { kind });
      const routes = listRoutes(getFirstReplica().app).filter((route) => !isOpenToExcluded(route));
      // With an empty list of routes, the assertion below could not fail.
      expect(routes.length).toBeGreaterThanOrEqual(20);
      const outcomes = await Promise.all(
        routes.map(async (route) => {
          const [method = '', path = ''] = route.split(' ');
          const { status, body } = await ada.call(method, fillPath(path, ada.user.id));
          return `${route} ${status} ${String(body.code)}`;
        }),
      );
      // Banned users get the code `suspended`, too.
      expect(outcomes.filter((outcome) => !outcome.endsWith(' 403 suspended'))).toEqual([]);
    });
  });

  it('can read their own user, including the standing, but no other user', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const end = addHoursToNow(2);
    const { noticeId } = await imposeSanction(getFirstReplica(), ada.user.id, { until: end });
    const { status, body } = await ada.call('GET', `/api/user/${ada.user.id}`);
    expect(status).toBe(200);
    expect(body.standing).toEqual({
      kind: 'suspended',
      since: expect.any(String),
      until: end.toISOString(),
      noticeId,
    });
    expect(await ada.call('GET', `/api/user/${ada.user.id + 1}`)).toMatchObject({
      status: 403,
      body: { code: 'suspended' },
    });
  });

  it('get their own user, including the standing, if they join anonymously again while signed in', async () => {
    const ada = await stack.createVisitor(0, 'female');
    await imposeSanction(getFirstReplica(), ada.user.id);
    expect(await ada.call('POST', '/api/anonymous')).toMatchObject({
      status: 200,
      body: { user: { standing: { kind: 'suspended' } } },
    });
  });

  it('can convert their anonymous account, log out, and log in again', async () => {
    const email = createEmail();
    const ada = await new ThawVisitor(stack.origins).joinAnonymously();
    await imposeSanction(getFirstReplica(), ada.user.id);
    const credentials = { email, password: PASSWORD };
    expect(
      await ada.call('POST', '/api/convert-anonymous', { userId: ada.user.id, ...credentials }),
    ).toMatchObject({
      status: 200,
      body: { user: { isAnonymous: false, standing: { kind: 'suspended' } } },
    });
    await ada.logOut();
    const adaAfterLogin = await new ThawVisitor(stack.origins).logIn(email, PASSWORD);
    expect(adaAfterLogin.user).toMatchObject({ id: ada.user.id, standing: { kind: 'suspended' } });
  });

  it('cannot register another account while they are signed in', async () => {
    const ada = await new ThawVisitor(stack.origins).register(createEmail(), PASSWORD);
    await imposeSanction(getFirstReplica(), ada.user.id);
    const credentials = { email: createEmail(), password: PASSWORD };
    expect(await ada.call('POST', '/api/register', credentials)).toMatchObject({
      status: 403,
      body: { code: 'suspended' },
    });
  });

  it('receive their standing on a new socket, which is then closed', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const { noticeId } = await imposeSanction(getFirstReplica(), ada.user.id);
    const socket = await ada.openUnauthenticatedSocket(stack.origins[1]);
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames).toMatchObject([{ event: 'standing', data: { kind: 'suspended', noticeId } }]);
  });

  it('receive only their standing on a socket that was opening when they were suspended, and lose it', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const registry = getSecondReplica().app.get(SocketRegistry);
    const register = registry.register.bind(registry);
    jest.spyOn(registry, 'register').mockImplementationOnce(async (connection) => {
      await imposeSanction(getFirstReplica(), ada.user.id);
      // The second replica misses the announcement: it subscribes to the user's announcements only in `register`.
      await announceStanding(getFirstReplica(), ada.user.id);
      await register(connection);
    });
    const socket = await ada.openUnauthenticatedSocket(stack.origins[1]);
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames).toMatchObject([{ event: 'standing' }]);
  });

  it('lose their sockets at the periodic check of logins if the announcement is lost', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const bob = await stack.createVisitor(0, 'male');
    const adaSocket = await ada.openSocket(stack.origins[1]);
    const bobSocket = await bob.openSocket(stack.origins[1]);
    await imposeSanction(getFirstReplica(), ada.user.id);
    const lostPublish = jest
      .spyOn(getFirstReplica().app.get(UserPublisherService), 'publish')
      .mockResolvedValue();
    await announceStanding(getFirstReplica(), ada.user.id);
    expect(lostPublish).toHaveBeenCalledWith(ada.user.id, expect.objectContaining({ kind: 'standing' }));
    await getSecondReplica().app.get(SocketRegistry).closeSocketsOfEndedLogins();
    expect(await adaSocket.closed).toBe(closeCodes.notSignedIn);
    expect(adaSocket.all('standing')).toMatchObject([{ kind: 'suspended' }]);
    expect(await bobSocket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('leave the queue immediately', async () => {
    const ada = await stack.createVisitor(0, 'female');
    await (await ada.openSocket(stack.origins[1])).request('join_queue', {});
    expect(await stack.store.listKeys('{matching}:queue:*')).toHaveLength(1);
    await imposeSanction(getFirstReplica(), ada.user.id);
    await announceStanding(getFirstReplica(), ada.user.id);
    expect(await stack.store.listKeys('{matching}:queue:*')).toEqual([]);
  });

  it('leave their chat, which ends for the partner as if the connection were lost', async () => {
    const { ada, bobSocket, sessionId } = await matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
    await imposeSanction(getSecondReplica(), ada.user.id);
    await announceStanding(getSecondReplica(), ada.user.id);
    expect(await bobSocket.next('chat_skipped')).toMatchObject({
      sessionId,
      reason: 'disconnected',
      endedBy: null,
    });
    await bobSocket.request('join_queue', {}); // the partner is free for another chat
    await bobSocket.closeCleanly();
  });

  it('leave their chat and lose their socket on a replica when a worker announces the standing', async () => {
    const worker = await stack.startWorker();
    const { ada, adaSocket, bobSocket } = await matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
    await imposeSanction(worker, ada.user.id);
    await announceStanding(worker, ada.user.id);
    // A lost connection cannot have ended the chat: its grace period is longer than `next` waits.
    expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
    expect(await adaSocket.closed).toBe(closeCodes.notSignedIn);
    await bobSocket.closeCleanly();
  });

  it('may call ordinary routes again when the suspension is lifted', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const { sanctionId } = await imposeSanction(getFirstReplica(), ada.user.id);
    expect(await readOrdinaryRouteStatus(ada)).toBe(403);
    await liftSanction(getFirstReplica(), ada.user.id, sanctionId);
    expect(await readOrdinaryRouteStatus(ada)).toBe(200);
  });

  it('may call ordinary routes and open sockets again when the suspension has ended', async () => {
    const bob = await stack.createVisitor(1, 'male');
    const end = new Date(Date.now() + 300);
    await imposeSanction(getFirstReplica(), bob.user.id, { until: end });
    expect(await readOrdinaryRouteStatus(bob)).toBe(403);
    await until(() => Date.now() > end.getTime());
    expect(await readOrdinaryRouteStatus(bob)).toBe(200);
    await (await bob.openSocket()).closeCleanly();
  });
});

describe('users who are restricted but not excluded', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  it('receive an age question on open sockets, and may then call routes but not join the queue', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    const noticeId = await askAge(stack.replicas[0]!, ada.user.id);
    await announceStanding(stack.replicas[0]!, ada.user.id);
    expect(await socket.next('standing')).toMatchObject({ kind: 'age_question', noticeId });
    expect(await socket.ask('join_queue', {})).toMatchObject({ event: 'error', data: { code: 'suspended' } });
    expect(await socket.ask('leave_queue', {})).toMatchObject({ event: 'ack' });
    expect((await ada.call('GET', `/api/friends/${ada.user.id}`)).status).toBe(200);
    expect((await ada.call('GET', `/api/user/${ada.user.id}`)).body).toMatchObject({
      standing: { kind: 'age_question' },
    });
  });

  it('move to the queue of flagged users if a worker announces during their search that they are flagged', async () => {
    const worker = await stack.startWorker();
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket(stack.origins[1]);
    await socket.request('join_queue', {});
    // Without the periodic check of match records, only the announcement can change the queue.
    for (const { app } of stack.replicas)
      jest.spyOn(app.get(WaitingUserCheckService), 'checkRecords').mockResolvedValue();
    const listQueues = () => stack.store.listKeys('{matching}:queue:*');
    const [usualQueue] = await listQueues();
    await flag(worker, ada.user.id);
    await announceStanding(worker, ada.user.id);
    expect(await socket.next('standing')).toMatchObject({ kind: 'care' }); // the standing of flagged users
    expect(await until(listQueues, ([queue]) => queue !== usualQueue)).toHaveLength(1);
    await socket.closeCleanly();
  });

  it('receive their standing on open sockets when they are flagged, and may join the queue', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await flag(stack.replicas[0]!, ada.user.id);
    await announceStanding(stack.replicas[0]!, ada.user.id);
    expect(await socket.next('standing')).toMatchObject({ kind: 'care' });
    await socket.request('join_queue', {});
    await socket.closeCleanly();
  });
});
