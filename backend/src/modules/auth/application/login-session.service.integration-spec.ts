// Real: PostgreSQL, Redis, two api replicas over HTTP and sockets.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { startTestReplicas, type TestReplicas } from '../../../testing/test-replicas.harness';
import { type ThawSocket, ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { SessionRepository } from '../infrastructure/session.repository';

jest.setTimeout(60_000);

const password = 'correct horse';
const newEmail = () => `${randomUUID()}@example.org`;
const CLOSES_WITHIN_MS = 1_000;

describe('login sessions and their sockets', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2);
  });
  afterAll(() => thaw.close());
  afterEach(() => jest.restoreAllMocks());

  const register = async () => {
    const email = newEmail();
    const owner = await new ThawVisitor(thaw.origins).register(email, password, 'female');
    return { owner, email };
  };
  /** A browser with a stolen copy of the cookie. */
  const thiefOf = (owner: ThawVisitor) => {
    const { cookie } = owner;
    return {
      status: async () =>
        (await new ThawVisitor(thaw.origins).call('GET', `/api/user/${owner.user.id}`, undefined, { cookie }))
          .status,
      connect: (origin = thaw.origins[0]) => new ThawVisitor(thaw.origins).connect(origin, { cookie }),
    };
  };
  const arriveEverywhere = (visitor: ThawVisitor) =>
    Promise.all(thaw.origins.map((origin) => visitor.arrive(origin)));
  const changes = {
    password: (visitor: ThawVisitor) =>
      visitor.call('PUT', `/api/user/${visitor.user.id}/password`, {
        currentPassword: password,
        newPassword: 'another horse',
      }),
    email: (visitor: ThawVisitor, email = newEmail()) =>
      visitor.call('PUT', `/api/user/${visitor.user.id}/email`, {
        newEmail: email,
        currentPassword: password,
      }),
  };
  /** The close codes of sockets, all of which must close within a second of `since`. */
  const codesOf = async (sockets: readonly ThawSocket[], since: number) => {
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    expect(Date.now() - since).toBeLessThan(CLOSES_WITHIN_MS);
    return codes;
  };

  describe.each(['password', 'email'] as const)('a change of %s', (subject) => {
    it('closes the sockets of this browser and of a stolen cookie with 1012 on every replica', async () => {
      const { owner } = await register();
      const thief = thiefOf(owner);
      const sockets = [
        ...(await arriveEverywhere(owner)),
        ...(await Promise.all(thaw.origins.map(thief.connect))),
      ];
      const { status } = await changes[subject](owner);
      expect(status).toBe(200);
      expect(await codesOf(sockets, Date.now())).toEqual([1012, 1012, 1012, 1012]);
    });

    it('refuses a stolen cookie over HTTP and on sockets, and accepts the new one', async () => {
      const { owner } = await register();
      const thief = thiefOf(owner);
      expect(await thief.status()).toBe(200);
      await changes[subject](owner);
      expect(await thief.status()).toBe(401);
      expect(await (await thief.connect()).closed).toBe(4401);
      expect((await owner.call('GET', `/api/user/${owner.user.id}`)).status).toBe(200);
      await (await owner.arrive()).request('join_queue', {});
      await owner.hangUp();
    });

    it('lets the page of this browser resume its chat with the new cookie', async () => {
      const { owner } = await register();
      const partner = await thaw.visitor(1, 'male');
      const [socket, partnerSocket] = [await owner.arrive(), await partner.arrive()];
      await socket.request('join_queue', {});
      await partnerSocket.request('join_queue', {});
      const sessionId = String((await socket.next('chat_matched')).sessionId);
      await partnerSocket.next('chat_matched');
      await changes[subject](owner);
      expect(await socket.closed).toBe(1012);
      const clientId = randomUUID();
      await partnerSocket.request('random_message', {
        sessionId,
        content: 'still there?',
        messageType: 'text',
        clientId,
      });
      const lastSeen = { sessionId, seq: socket.lastSeen(sessionId) };
      const resumed = await owner.arrive(thaw.origins[1], lastSeen);
      const { events } = await resumed.next('session_resumed');
      expect(events).toMatchObject([{ event: 'random_message', data: { content: 'still there?' } }]);
      await resumed.request('skip_chat', { sessionId });
      await Promise.all([owner.hangUp(), partner.hangUp()]);
    });

    it('closes the sockets only after the response with the new cookie is sent', async () => {
      const { owner } = await register();
      const socket = await owner.arrive(thaw.origins[1]);
      const order: string[] = [];
      const closed = socket.closed.then(() => order.push('closed'));
      const body = { newEmail: newEmail(), currentPassword: password, newPassword: 'another horse' };
      await new Promise<void>((resolve, reject) => {
        const request = httpRequest(`${thaw.origins[0]}/api/user/${owner.user.id}/${subject}`, {
          method: 'PUT',
          headers: { cookie: owner.cookie, 'content-type': 'application/json' },
        });
        request.once('error', reject);
        request.once('response', (response) => {
          order.push(String(response.headers['set-cookie']).includes('thaw.sid=') ? 'cookie' : 'none');
          response.resume().once('end', resolve);
        });
        request.end(JSON.stringify(body));
      });
      await closed;
      expect(order).toEqual(['cookie', 'closed']);
    });

    it('commits nothing when the login has ended in the meantime', async () => {
      const { owner, email } = await register();
      const move = jest.spyOn(SessionRepository.prototype, 'move').mockResolvedValueOnce(false);
      const { status, body, headers } = await changes[subject](owner);
      expect(move).toHaveBeenCalled();
      expect([status, body.code]).toEqual([401, 'not_signed_in']);
      expect(headers.getSetCookie()).toEqual([]);
      await new ThawVisitor(thaw.origins).logIn(email, password);
    });
  });

  it('closes the sockets of other logins with 4401 after a change of password', async () => {
    const { owner, email } = await register();
    const other = await new ThawVisitor(thaw.origins).logIn(email, password);
    const sockets = await arriveEverywhere(other);
    await changes.password(owner);
    expect(await codesOf(sockets, Date.now())).toEqual([4401, 4401]);
  });

  it('leaves the sockets of other logins open after a change of e-mail', async () => {
    const { owner, email } = await register();
    const own = await owner.arrive();
    const other = await new ThawVisitor(thaw.origins).logIn(email, password);
    const sockets = await arriveEverywhere(other);
    await changes.email(owner);
    expect(await own.closed).toBe(1012);
    for (const socket of sockets) expect((await socket.ask('ping', {})).event).toBe('pong');
    await other.hangUp();
  });

  it('keeps the cookie and the sockets when a change of e-mail is refused', async () => {
    const { owner } = await register();
    const taken = await register();
    const socket = await owner.arrive();
    const { status, headers } = await changes.email(owner, taken.email);
    expect(status).toBe(409);
    expect(headers.getSetCookie()).toEqual([]);
    expect((await owner.call('GET', `/api/user/${owner.user.id}`)).status).toBe(200);
    expect((await socket.ask('ping', {})).event).toBe('pong');
    await owner.hangUp();
  });

  it('refuses or closes every socket that opens with the old cookie during a change of password', async () => {
    const { owner } = await register();
    const thief = thiefOf(owner);
    const change = changes.password(owner);
    const sockets: ThawSocket[] = [];
    let isDone = false;
    void change.then(() => (isDone = true));
    while (!isDone) sockets.push(await thief.connect(thaw.origins[sockets.length % 2]));
    sockets.push(await thief.connect());
    // A sixth socket closes the oldest with 4409.
    for (const { closed } of sockets) expect([1012, 4401, 4409]).toContain(await closed);
    await until(async () => (await thaw.store.keys(`sockets:{${owner.user.id}}`)).length === 0);
  });

  it('never leaves a family without a session while its session id is rotated', async () => {
    const visitor = await new ThawVisitor(thaw.origins).joinAnonymously('female');
    const socket = await visitor.arrive();
    const [row] = await thaw.database.dataSource.query<{ family_id: string }[]>(
      'SELECT family_id FROM sessions WHERE user_id = $1',
      [visitor.user.id],
    );
    const familyId = row!.family_id;
    const sessions = thaw.replicas[0]!.app.get(SessionRepository);
    const seen: boolean[] = [];
    const look = async () => seen.push((await sessions.liveFamilies([familyId])).has(familyId));
    for (const method of ['add', 'move', 'remove', 'removeFamily'] as const) {
      const original = sessions[method].bind(sessions) as (...given: unknown[]) => Promise<unknown>;
      jest.spyOn(sessions, method).mockImplementation(async (...given: unknown[]) => {
        await look();
        const result = await original(...given);
        await look();
        return result as never;
      });
    }
    const { status } = await visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: newEmail(),
      password,
    });
    expect(status).toBe(200);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).not.toContain(false);
    expect((await socket.ask('ping', {})).event).toBe('pong');
    await visitor.hangUp();
  });

  it('does not restore a login that was ended while its session id was rotated', async () => {
    const visitor = await new ThawVisitor(thaw.origins).joinAnonymously('female');
    const sessions = thaw.replicas[0]!.app.get(SessionRepository);
    const move = sessions.move.bind(sessions);
    jest.spyOn(sessions, 'move').mockImplementationOnce(async (...given) => {
      await sessions.removeFamily(given[2].familyId);
      return move(...given);
    });
    const { status } = await visitor.call('POST', '/api/convert-anonymous', {
      userId: visitor.user.id,
      email: newEmail(),
      password,
    });
    expect(status).toBe(401);
    expect((await visitor.call('GET', `/api/user/${visitor.user.id}`)).status).toBe(401);
  });
});
