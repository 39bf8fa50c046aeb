// A login is a family of successive sessions in one browser. A socket that closes with 1012 (`serviceRestart`) may
// reconnect; 4401 (`notSignedIn`) means that its login has ended. Uses real PostgreSQL and Redis, with two api replicas
// over HTTP and sockets.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { closeCodes } from '@thaw/contract/close-codes';
import { createEmail, PASSWORD } from '../../../testing/test-accounts.fixture';
import { getSocketsKey } from '../../../testing/test-sockets.functions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { SocketRegistry } from '../../../platform/realtime/socket.registry';
import { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import { type ThawSocket, ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { SessionRepository } from '../infrastructure/session.repository';

jest.setTimeout(60_000);

const MAX_CLOSE_DELAY_MS = 1_000;
const NEW_PASSWORD = 'another horse';

describe('login sessions and their sockets', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());
  afterEach(() => jest.restoreAllMocks());

  const registerOwner = async () => {
    const email = createEmail();
    const owner = await new ThawVisitor(stack.origins).register(email, PASSWORD, 'female');
    return { owner, email };
  };
  /** Another browser, which sends a copy of the owner's current cookie. */
  const stealCookie = ({ cookie, user }: ThawVisitor) => {
    const thief = new ThawVisitor(stack.origins);
    return {
      readProfileStatus: async () =>
        (await thief.call('GET', `/api/user/${user.id}`, undefined, { cookie })).status,
      connect: (origin = stack.origins[0]) => thief.openUnauthenticatedSocket(origin, { cookie }),
    };
  };
  /** @returns 200 while the visitor is signed in, otherwise 401. */
  const readProfileStatus = async (visitor: ThawVisitor) =>
    (await visitor.call('GET', `/api/user/${visitor.user.id}`)).status;
  const openSocketOnEachReplica = (visitor: ThawVisitor) =>
    Promise.all(stack.origins.map((origin) => visitor.openSocket(origin)));
  const changePassword = (visitor: ThawVisitor) =>
    visitor.call('PUT', `/api/user/${visitor.user.id}/password`, {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    });
  const changeEmail = (visitor: ThawVisitor, email = createEmail()) =>
    visitor.call('PUT', `/api/user/${visitor.user.id}/email`, {
      newEmail: email,
      currentPassword: PASSWORD,
    });
  /** Gives an anonymous visitor's account an e-mail address and a password, which replaces the login's session id. */
  const convertAnonymous = (visitor: ThawVisitor) =>
    visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: createEmail(),
      password: PASSWORD,
    });
  const expectOpen = async (socket: ThawSocket) => {
    expect((await socket.ask('ping', {})).event).toBe('pong');
  };
  /** Expects that all sockets close within `MAX_CLOSE_DELAY_MS`. @returns their close codes. */
  const waitForCloseCodes = async (sockets: readonly ThawSocket[]) => {
    const startedAt = Date.now();
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    expect(Date.now() - startedAt).toBeLessThan(MAX_CLOSE_DELAY_MS);
    return codes;
  };

  describe.each([
    { subject: 'password', change: changePassword },
    { subject: 'email', change: changeEmail },
  ])('change of $subject', ({ subject, change }) => {
    it('the change closes the sockets of this browser and of a stolen cookie with 1012 on every replica', async () => {
      const { owner } = await registerOwner();
      const thief = stealCookie(owner);
      const sockets = [
        ...(await openSocketOnEachReplica(owner)),
        ...(await Promise.all(stack.origins.map(thief.connect))),
      ];
      const { status } = await change(owner);
      expect(status).toBe(200);
      expect(await waitForCloseCodes(sockets)).toEqual(sockets.map(() => closeCodes.serviceRestart));
    });

    it('the periodic check of logins closes the sockets with 1012 if the publication is lost', async () => {
      const { owner } = await registerOwner();
      const otherUser = await new ThawVisitor(stack.origins).joinAnonymously('female');
      const sockets = await openSocketOnEachReplica(owner);
      const otherSocket = await otherUser.openSocket();
      jest.spyOn(UserPublisherService.prototype, 'restartFamily').mockResolvedValue();
      expect((await change(owner)).status).toBe(200);
      for (const { app } of stack.replicas) await app.get(SocketRegistry).closeSocketsOfEndedLogins();
      expect(await waitForCloseCodes(sockets)).toEqual(sockets.map(() => closeCodes.serviceRestart));
      await expectOpen(otherSocket);
      // The change has put the login into a new family. When that family ends, its sockets close with 4401.
      const socket = await owner.openSocket();
      await owner.logOut();
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
      await otherUser.closeSockets();
    });

    it('the change invalidates a stolen cookie over HTTP and on sockets; the new cookie is accepted', async () => {
      const { owner } = await registerOwner();
      const thief = stealCookie(owner);
      expect(await thief.readProfileStatus()).toBe(200);
      await change(owner);
      expect(await thief.readProfileStatus()).toBe(401);
      expect(await (await thief.connect()).closed).toBe(closeCodes.notSignedIn);
      expect(await readProfileStatus(owner)).toBe(200);
      await (await owner.openSocket()).request('join_queue', {});
      await owner.closeSockets();
    });

    it('the page of this browser can resume its chat with the new cookie', async () => {
      const { owner } = await registerOwner();
      const partner = await stack.createVisitor(1, 'male');
      const [socket, partnerSocket] = [await owner.openSocket(), await partner.openSocket()];
      // The two search and are matched with each other.
      await socket.request('join_queue', {});
      await partnerSocket.request('join_queue', {});
      const sessionId = String((await socket.next('chat_matched')).sessionId);
      await partnerSocket.next('chat_matched');
      await change(owner);
      expect(await socket.closed).toBe(closeCodes.serviceRestart);
      // The partner writes while the page is disconnected.
      await partnerSocket.request('random_message', {
        sessionId,
        content: 'still there?',
        messageType: 'text',
        clientId: randomUUID(),
      });
      const lastSeen = { sessionId, seq: socket.getLastSeq(sessionId) };
      const resumedSocket = await owner.openSocket(stack.origins[1], lastSeen);
      const { events } = await resumedSocket.next('session_resumed');
      expect(events).toMatchObject([{ event: 'random_message', data: { content: 'still there?' } }]);
      await resumedSocket.request('skip_chat', { sessionId });
      await Promise.all([owner.closeSockets(), partner.closeSockets()]);
    });

    it('sockets are closed only after the response with the new cookie is sent', async () => {
      const { owner } = await registerOwner();
      const socket = await owner.openSocket(stack.origins[1]);
      const order: string[] = [];
      const closed = socket.closed.then(() => order.push('socket closed'));
      // One body for both changes: each route ignores the field of the other one.
      const body = { newEmail: createEmail(), currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      await new Promise<void>((resolve, reject) => {
        const request = httpRequest(`${stack.origins[0]}/api/user/${owner.user.id}/${subject}`, {
          method: 'PUT',
          headers: { cookie: owner.cookie, 'content-type': 'application/json' },
        });
        request.once('error', reject);
        request.once('response', (response) => {
          const hasCookie = String(response.headers['set-cookie']).includes('thaw.sid=');
          order.push(hasCookie ? 'cookie received' : 'no cookie received');
          response.resume().once('end', resolve);
        });
        request.end(JSON.stringify(body));
      });
      await closed;
      expect(order).toEqual(['cookie received', 'socket closed']);
    });

    it('nothing is committed when the login has ended in the meantime', async () => {
      const { owner, email } = await registerOwner();
      // `replaceId` returns false when the session to be replaced no longer exists.
      const replaceId = jest.spyOn(SessionRepository.prototype, 'replaceId').mockResolvedValueOnce(false);
      const { status, body, headers } = await change(owner);
      expect(replaceId).toHaveBeenCalled();
      expect([status, body.code]).toEqual([401, 'not_signed_in']);
      expect(headers.getSetCookie()).toEqual([]);
      // The old e-mail address and the old password are still valid.
      await new ThawVisitor(stack.origins).logIn(email, PASSWORD);
    });
  });

  it('a change of password closes the sockets of other logins with 4401', async () => {
    const { owner, email } = await registerOwner();
    const otherLogin = await new ThawVisitor(stack.origins).logIn(email, PASSWORD);
    const sockets = await openSocketOnEachReplica(otherLogin);
    await changePassword(owner);
    expect(await waitForCloseCodes(sockets)).toEqual([closeCodes.notSignedIn, closeCodes.notSignedIn]);
  });

  it('a change of e-mail leaves the sockets of other logins open', async () => {
    const { owner, email } = await registerOwner();
    const ownSocket = await owner.openSocket();
    const otherLogin = await new ThawVisitor(stack.origins).logIn(email, PASSWORD);
    const otherSockets = await openSocketOnEachReplica(otherLogin);
    await changeEmail(owner);
    expect(await ownSocket.closed).toBe(closeCodes.serviceRestart);
    for (const socket of otherSockets) await expectOpen(socket);
    await otherLogin.closeSockets();
  });

  it('a refused change of e-mail leaves the cookie valid and the sockets open', async () => {
    const { owner } = await registerOwner();
    const { email: takenEmail } = await registerOwner();
    const socket = await owner.openSocket();
    const { status, headers } = await changeEmail(owner, takenEmail);
    expect(status).toBe(409);
    expect(headers.getSetCookie()).toEqual([]);
    expect(await readProfileStatus(owner)).toBe(200);
    await expectOpen(socket);
    await owner.closeSockets();
  });

  it('every socket that opens with the old cookie during a change of password is refused or closed', async () => {
    const { owner } = await registerOwner();
    const thief = stealCookie(owner);
    const sockets: ThawSocket[] = [];
    let isChanged = false;
    void changePassword(owner).then(() => (isChanged = true));
    // Alternates between the two replicas.
    while (!isChanged) sockets.push(await thief.connect(stack.origins[sockets.length % 2]));
    sockets.push(await thief.connect());
    // A user may have five sockets: a sixth closes the oldest.
    const allowedCodes = [closeCodes.serviceRestart, closeCodes.notSignedIn, closeCodes.tooManySockets];
    for (const { closed } of sockets) expect(allowedCodes).toContain(await closed);
    // The key lists the user's open sockets on all replicas.
    await until(async () => (await stack.store.redis.exists(getSocketsKey(owner.user.id))) === 0);
  });

  it('a family always has a session while its session id is rotated', async () => {
    const visitor = await new ThawVisitor(stack.origins).joinAnonymously('female');
    const socket = await visitor.openSocket();
    const [row] = await stack.database.dataSource.query<{ family_id: string }[]>(
      'SELECT family_id FROM sessions WHERE user_id = $1',
      [visitor.user.id],
    );
    const familyId = row!.family_id;
    const sessions = stack.replicas[0]!.app.get(SessionRepository);
    const wasLive: boolean[] = [];
    const observe = async () => wasLive.push((await sessions.findLiveFamilies([familyId])).has(familyId));
    // Observes before and after each write whether the family is live, which means that it has a valid session.
    for (const method of ['add', 'replaceId', 'remove', 'removeFamily'] as const) {
      const original = sessions[method].bind(sessions) as (...parameters: unknown[]) => Promise<unknown>;
      jest.spyOn(sessions, method).mockImplementation(async (...parameters: unknown[]) => {
        await observe();
        const result = await original(...parameters);
        await observe();
        return result as never;
      });
    }
    const { status } = await convertAnonymous(visitor);
    expect(status).toBe(200);
    expect(wasLive.length).toBeGreaterThan(0);
    expect(wasLive).not.toContain(false);
    await expectOpen(socket);
    await visitor.closeSockets();
  });

  it('a login that ends while its session id is rotated is not restored', async () => {
    const visitor = await new ThawVisitor(stack.origins).joinAnonymously('female');
    const sessions = stack.replicas[0]!.app.get(SessionRepository);
    const replaceId = sessions.replaceId.bind(sessions);
    jest.spyOn(sessions, 'replaceId').mockImplementationOnce(async (...parameters) => {
      // Ends the login just before its session id is replaced.
      const [, , { familyId }] = parameters;
      await sessions.removeFamily(familyId);
      return replaceId(...parameters);
    });
    const { status } = await convertAnonymous(visitor);
    expect(status).toBe(401);
    expect(await readProfileStatus(visitor)).toBe(401);
  });
});
