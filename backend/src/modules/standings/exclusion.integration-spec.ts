// A standing is what moderation allows a user; "excluded" users are suspended or banned. Uses real PostgreSQL, Redis
// and sockets, with api replicas in this process.
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
import { startTestStack, type TestStack, type TestWorker } from '../../testing/test-stack.harness';
import { matchNewVisitors, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { WaitingUserCheckService } from '../matching/application/waiting-user-check.service';
import { SocketRegistry } from '../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../platform/realtime/user-publisher.service';

jest.setTimeout(60_000);

const MAX_CLOSE_MS = 1_000;

/** Routes that excluded users may call, in addition to GET of their own user. */
const routesOpenToExcluded = new RegExp(
  `^(${[
    'GET /api/(docs|receipts)',
    '(GET|PUT) /api/notices/',
    'GET /api/my-data/exports/',
    'POST /api/(login|logout|anonymous|convert-anonymous|appeals|user/:id/erasure|my-data/:userId/export)$',
  ].join('|')})`,
);

/**
 * The route for unknown paths accepts every method, so Express lists all of the more than 30 methods that it knows. A
 * route with more methods than this limit is taken for that one, and is left out.
 */
const MAX_METHODS_OF_A_ROUTE = 7;

const listRoutes = (app: NestExpressApplication): string[] => {
  const { router } = app.getHttpAdapter().getInstance() as unknown as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    return methods.length > MAX_METHODS_OF_A_ROUTE
      ? []
      : methods.map((method) => `${method.toUpperCase()} ${route?.path}`);
  });
};

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
    it('lose all sockets on every replica within a second, and get 403 from routes that are not open to them', async () => {
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
      const routes = listRoutes(getFirstReplica().app).filter((route) => !routesOpenToExcluded.test(route));
      // With an empty list of routes, the assertion below could not fail.
      expect(routes.length).toBeGreaterThanOrEqual(20);
      const outcomes = await Promise.all(
        routes
          // Another test checks this route, which is open for the user's own id.
          .filter((route) => route !== 'GET /api/user/:id')
          .map(async (route) => {
            const [method = '', template = ''] = route.split(' ');
            // Parameters (`:id`, `*path`) become the user's own id; braces mark optional parts.
            const path = template.replace(/[:*]\w+/g, String(ada.user.id)).replace(/[{}]/g, '');
            const { status, body } = await ada.call(method, path);
            return `${route} ${status} ${String(body.code)}`;
          }),
      );
      // Banned users get the code `suspended`, too.
      expect(outcomes.filter((outcome) => !outcome.endsWith(' 403 suspended'))).toEqual([]);
    });
  });

  it('excluded users can read their own user, including the standing, but no other user', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const end = addHoursToNow(2);
    const { noticeId } = await imposeSanction(getFirstReplica(), ada.user.id, { until: end });
    const { status, body } = await ada.call('GET', `/api/user/${ada.user.id}`);
    expect([status, body.standing]).toEqual([
      200,
      { kind: 'suspended', since: expect.any(String), until: end.toISOString(), noticeId },
    ]);
    expect(await ada.call('GET', `/api/user/${ada.user.id + 1}`)).toMatchObject({
      status: 403,
      body: { code: 'suspended' },
    });
    // This route returns their own user to an anonymous user who is already signed in.
    expect(await ada.call('POST', '/api/anonymous')).toMatchObject({
      status: 200,
      body: { user: { standing: { kind: 'suspended' } } },
    });
  });

  it('excluded users can log in and out and convert an anonymous account, but cannot register another one while signed in', async () => {
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
    expect(
      await ada.call('POST', '/api/register', { email: createEmail(), password: PASSWORD }),
    ).toMatchObject({
      status: 403,
      body: { code: 'suspended' },
    });
    await ada.logOut();
    const adaAfterLogin = await new ThawVisitor(stack.origins).logIn(email, PASSWORD);
    expect(adaAfterLogin.user).toMatchObject({ id: ada.user.id, standing: { kind: 'suspended' } });
  });

  it('a new socket of an excluded user receives the standing and is then closed', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const { noticeId } = await imposeSanction(getFirstReplica(), ada.user.id);
    const socket = await ada.openUnauthenticatedSocket(stack.origins[1]);
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames).toMatchObject([{ event: 'standing', data: { kind: 'suspended', noticeId } }]);
  });

  it('a socket receives only the standing and is closed if its user is suspended while it opens', async () => {
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

  it('the periodic check of logins closes the sockets of an excluded user when the announcement is lost', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const bob = await stack.createVisitor(0, 'male');
    const [socket, bobSocket] = [
      await ada.openSocket(stack.origins[1]),
      await bob.openSocket(stack.origins[1]),
    ];
    await imposeSanction(getFirstReplica(), ada.user.id);
    const lostPublish = jest
      .spyOn(getFirstReplica().app.get(UserPublisherService), 'publish')
      .mockResolvedValue();
    await announceStanding(getFirstReplica(), ada.user.id);
    expect(lostPublish).toHaveBeenCalledWith(ada.user.id, expect.objectContaining({ kind: 'standing' }));
    await getSecondReplica().app.get(SocketRegistry).closeEndedLogins();
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.all('standing')).toMatchObject([{ kind: 'suspended' }]);
    expect(await bobSocket.ask('ping', {})).toMatchObject({ event: 'pong' });
  });

  it('excluded users leave the queue immediately', async () => {
    const ada = await stack.createVisitor(0, 'female');
    await (await ada.openSocket(stack.origins[1])).request('join_queue', {});
    expect(await stack.store.listKeys('{matching}:queue:*')).toHaveLength(1);
    await imposeSanction(getFirstReplica(), ada.user.id);
    await announceStanding(getFirstReplica(), ada.user.id);
    expect(await stack.store.listKeys('{matching}:queue:*')).toEqual([]);
  });

  it('excluded users leave the chat, which ends for the partner as if the connection were lost', async () => {
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

  describe('when a worker announces the standing', () => {
    let worker: TestWorker;
    beforeAll(async () => {
      worker = await stack.startWorker();
    });

    it('excluded users leave the chat, and their socket on a replica is closed', async () => {
      const { ada, adaSocket, bobSocket } = await matchNewVisitors([stack.origins[0]!, stack.origins[1]!]);
      await imposeSanction(worker, ada.user.id);
      await announceStanding(worker, ada.user.id);
      // A lost connection cannot have ended the chat: its grace period is longer than `next` waits.
      expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'disconnected', endedBy: null });
      expect(await adaSocket.closed).toBe(closeCodes.notSignedIn);
      await bobSocket.closeCleanly();
    });

    it('users who are flagged while they search move to the queue of flagged users', async () => {
      const cleo = await stack.createVisitor(0, 'female');
      const socket = await cleo.openSocket(stack.origins[1]);
      await socket.request('join_queue', {});
      // Without the periodic check of match records, only the announcement can change the queue.
      for (const { app } of stack.replicas)
        jest.spyOn(app.get(WaitingUserCheckService), 'checkRecords').mockResolvedValue();
      const listQueues = () => stack.store.listKeys('{matching}:queue:*');
      const [usualQueue] = await listQueues();
      await flag(worker, cleo.user.id);
      await announceStanding(worker, cleo.user.id);
      expect(await socket.next('standing')).toMatchObject({ kind: 'care' }); // the standing of flagged users
      expect(await until(listQueues, ([queue]) => queue !== usualQueue)).toHaveLength(1);
      await socket.closeCleanly();
    });
  });

  it('suspended users may call routes again when the suspension is lifted or has ended', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const { sanctionId } = await imposeSanction(getFirstReplica(), ada.user.id);
    expect(await readOrdinaryRouteStatus(ada)).toBe(403);
    await liftSanction(getFirstReplica(), ada.user.id, sanctionId);
    expect(await readOrdinaryRouteStatus(ada)).toBe(200);
    const bob = await stack.createVisitor(1, 'male');
    const end = new Date(Date.now() + 300);
    await imposeSanction(getFirstReplica(), bob.user.id, { until: end });
    expect(await readOrdinaryRouteStatus(bob)).toBe(403);
    await until(() => Date.now() > end.getTime());
    expect(await readOrdinaryRouteStatus(bob)).toBe(200);
    await (await bob.openSocket()).closeCleanly();
  });
});

describe('users with an age question, and flagged users', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
  });
  afterAll(() => stack.close());

  it('a user with an age question receives it on open sockets, and may call routes but not join the queue', async () => {
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

  it('a flagged user receives their standing on open sockets, and may join the queue', async () => {
    const ada = await stack.createVisitor(0, 'female');
    const socket = await ada.openSocket();
    await flag(stack.replicas[0]!, ada.user.id);
    await announceStanding(stack.replicas[0]!, ada.user.id);
    expect(await socket.next('standing')).toMatchObject({ kind: 'care' });
    await socket.request('join_queue', {});
    await socket.closeCleanly();
  });
});
