// Uses real PostgreSQL, Redis and sockets; two whole api replicas run in this process.
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { UsersService } from '../../modules/users/application/users.service';
import { estimateSlowdown } from '../../testing/processor-load.probe';
import { startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';
import { type ReceivedFrame, ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { presenceKeys, presenceShardOf, userChannel } from '../redis/redis.keys';
import { realtimeLimits } from './realtime.limits';
import { RedisSubscriberService } from './redis-subscriber.service';
import { SOCKET_IDENTITY_PORT, type SocketIdentityPort } from './socket-identity.port';
import { SocketRegistry } from './socket.registry';
import { UserPublisherService } from './user-publisher.service';

jest.setTimeout(30_000);

const shorten = (times: object, name: string, ms: number) =>
  jest.replaceProperty(times as Record<string, number>, name, ms);

const socketsKey = (userId: number): string => presenceKeys(presenceShardOf(userId)).sockets(String(userId));

describe('the socket', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => thaw.close());

  const part = <Part>(replica: number, token: (abstract new (...given: never[]) => Part) | symbol): Part =>
    thaw.replicas[replica]!.app.get<Part>(token);
  const here = (replica: number, userId: number) =>
    [...part<SocketRegistry>(replica, SocketRegistry).allSockets()].filter(
      ({ identity }) => identity.userId === userId,
    );
  const arrived = async (replica = 0): Promise<ThawSocket> =>
    (await thaw.createVisitor(replica, 'male')).openSocket();
  /** Waits for the answers and errors to frames that were sent at once. */
  const answers = (socket: ThawSocket, count: number, after = 0): Promise<ReceivedFrame[]> =>
    until(
      () => socket.frames.slice(after).filter(({ event, ref }) => ref !== undefined || event === 'error'),
      (frames) => frames.length >= count,
    );
  /** Sends frames in one packet, if the network permits. */
  const sendAtOnce = ({ socket }: ThawSocket, frames: readonly (object | string)[]): void => {
    const { _socket: wire } = socket as unknown as { _socket: Socket };
    wire.cork();
    for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    wire.uncork();
  };

  describe('answers to frames', () => {
    it('are strictly in order, however long each frame takes', async () => {
      const socket = await (await thaw.createVisitor(0, 'female')).connect();
      const users = part(0, UsersService);
      const gender = users.findGender.bind(users);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = jest.spyOn(users, 'findGender').mockImplementation(async (userId) => {
        await held;
        return gender(userId);
      });
      const frames = [
        { event: 'authenticate', data: { userId: socket.userId }, ref: '1' },
        { event: 'join_queue', data: { preferences: 'male' }, ref: '2' },
        { event: 'ping', ref: '3' },
        '{',
        { event: 'leave_queue', ref: '4' },
        { event: 'ping', ref: '5' },
      ];
      sendAtOnce(socket, frames);
      await until(() => slow.mock.calls.length);
      expect(socket.frames.map(({ ref }) => ref)).not.toContain('3');
      release();
      const received = await answers(socket, 6);
      expect(received.map(({ event, ref }) => [event, ref])).toEqual([
        ['authenticated', '1'],
        ['ack', '2'],
        ['pong', '3'],
        ['error', undefined],
        ['ack', '4'],
        ['pong', '5'],
      ]);
    });

    it('are sent once per ref, whatever the result of the frame', async () => {
      const socket = await arrived();
      const before = socket.frames.length;
      const refs = Array.from({ length: 40 }, (_, index) => `ref-${index}`);
      sendAtOnce(
        socket,
        refs.map((ref, index) => {
          const kinds = [
            { event: 'ping', ref },
            { event: 'leave_queue', data: {}, ref },
            { event: 'skip_chat', data: { sessionId: 'nowhere' }, ref },
            { event: 'nonsense', ref },
          ];
          return kinds[index % 4]!;
        }),
      );
      const received = await answers(socket, refs.length, before);
      expect(received.map(({ ref }) => ref)).toEqual(refs);
    });

    it('are sent once even if the method fails after its answer', async () => {
      const waiting = await (await thaw.createVisitor(0, 'male')).openSocket();
      await waiting.request('join_queue', { preferences: 'female' });
      const joining = await (await thaw.createVisitor(0, 'female')).openSocket();
      jest.spyOn(part(0, UsersService), 'findProfiles').mockRejectedValueOnce(new Error('out of order'));
      sendAtOnce(joining, [
        { event: 'join_queue', data: {}, ref: 'join' },
        { event: 'ping', ref: 'after' },
      ]);
      await until(() => joining.frames.some(({ ref }) => ref === 'after'));
      expect(joining.frames.filter(({ ref }) => ref === 'join').map(({ event }) => event)).toEqual(['ack']);
      // The claim expires, and the two users are matched nevertheless.
      await joining.next('chat_matched');
    });

    it('include a pong for each ping, signed in or not', async () => {
      const socket = await (await thaw.createVisitor(0)).connect();
      socket.send({ event: 'ping' });
      socket.send({ event: 'ping', ref: 'p', data: { whatever: 1 } });
      await until(() => socket.frames.length === 2);
      expect(socket.frames).toEqual([{ event: 'pong' }, { event: 'pong', ref: 'p' }]);
    });

    it('are not sent for a successful frame without a ref', async () => {
      const socket = await arrived();
      const before = socket.frames.length;
      sendAtOnce(socket, [{ event: 'leave_queue' }, { event: 'ping', ref: 'after' }]);
      await until(() => socket.frames.some(({ ref }) => ref === 'after'));
      expect(socket.frames.slice(before).map(({ event }) => event)).toEqual(['pong']);
    });
  });

  describe('a frame is refused', () => {
    const nested = `${'['.repeat(7_000)}${']'.repeat(7_000)}`;

    it.each<[what: string, frame: string, code: string, ref: string | undefined]>([
      ['broken JSON', '{"event":', 'invalid_json', undefined],
      ['nothing', '', 'invalid_json', undefined],
      ['a list', '[]', 'invalid_json', undefined],
      ['null', 'null', 'invalid_json', undefined],
      ['a number', '1', 'invalid_json', undefined],
      ['a text', '"ping"', 'invalid_json', undefined],
      ['14 KB of brackets', `{"event":"ping","data":${nested}}`, 'invalid_json', undefined],
      ['a prototype', '{"event":"ping","data":{"__proto__":{"a":1}},"ref":"r"}', 'invalid_json', undefined],
      ['a constructor', '{"event":"ping","constructor":{}}', 'invalid_json', undefined],
      ['an escaped prototype', '{"event":"ping","\\u005f_proto__":1}', 'invalid_json', undefined],
      ['no event', '{"ref":"r"}', 'unknown_event', 'r'],
      ['an event that is no text', '{"event":{},"ref":"r"}', 'unknown_event', 'r'],
      ['an unknown event', '{"event":"dance","ref":"r"}', 'unknown_event', 'r'],
      ['an event of the server', '{"event":"chat_matched","ref":"r"}', 'unknown_event', 'r'],
      ['a method of objects', '{"event":"toString","ref":"r"}', 'unknown_event', 'r'],
      ['a prototype as event', '{"event":"__proto__","ref":"r"}', 'unknown_event', 'r'],
      ['data that is no object', '{"event":"leave_queue","data":"x","ref":"r"}', 'invalid_payload', 'r'],
      ['data that is null', '{"event":"leave_queue","data":null,"ref":"r"}', 'invalid_payload', 'r'],
      ['data that is a list', '{"event":"leave_queue","data":[],"ref":"r"}', 'invalid_payload', 'r'],
      [
        'a foreign preference',
        '{"event":"join_queue","data":{"preferences":"cats"},"ref":"r"}',
        'invalid_payload',
        'r',
      ],
      [
        'a list of preferences',
        '{"event":"join_queue","data":{"preferences":["male"]},"ref":"r"}',
        'invalid_payload',
        'r',
      ],
      ['missing fields', '{"event":"random_message","data":{},"ref":"r"}', 'invalid_payload', 'r'],
      ['a ref that is no text', '{"event":"leave_queue","ref":7}', 'invalid_payload', undefined],
      ['a ref of 65', `{"event":"leave_queue","ref":"${'r'.repeat(65)}"}`, 'invalid_payload', undefined],
    ])('with the right code and ref: %s', async (_, frame, code, ref) => {
      const socket = await arrived();
      socket.send(frame);
      const error = await until(() => socket.frames.find(({ event }) => event === 'error'));
      expect(error).toMatchObject({ data: { code } });
      expect(error?.ref).toBe(ref);
      expect(error?.data.message).toMatch(/^[A-Z].*\.$/);
      expect(({} as { a?: number }).a).toBeUndefined();
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('with not_authenticated before `authenticate`', async () => {
      const socket = await (await thaw.createVisitor(0, 'male')).connect();
      for (const event of ['join_queue', 'leave_queue', 'skip_chat', 'random_message', 'typing'] as const) {
        expect(await socket.ask(event, {})).toMatchObject({
          event: 'error',
          data: { code: 'not_authenticated' },
        });
      }
    });

    it('with gender_required when a user without a gender joins the queue', async () => {
      const socket = await (await thaw.createVisitor(0)).openSocket();
      expect(await socket.ask('join_queue', {})).toMatchObject({ data: { code: 'gender_required' } });
    });

    it('with internal after an unexpected error, and later frames are handled', async () => {
      const socket = await arrived();
      jest.spyOn(part(0, UsersService), 'findGender').mockRejectedValueOnce(new Error('secret detail'));
      const answer = await socket.ask('join_queue', {});
      expect(answer).toMatchObject({ event: 'error', data: { code: 'internal' } });
      expect(JSON.stringify(answer)).not.toContain('secret');
      expect(await socket.ask('leave_queue', {})).toMatchObject({ event: 'ack' });
    });
  });

  describe('is closed', () => {
    it('with 1008 at the 20th invalid frame', async () => {
      const socket = await arrived();
      for (let count = 1; count < limits.invalidFramesBeforeClose; count += 1) socket.send('{');
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
      socket.send('{"event":"dance"}');
      expect(await socket.closed).toBe(closeCodes.policyViolation);
      expect(socket.all('error')).toHaveLength(limits.invalidFramesBeforeClose);
    });

    it('not for valid frames that are refused', async () => {
      const socket = await arrived();
      for (let count = 0; count < 2 * limits.invalidFramesBeforeClose; count += 1) {
        expect(await socket.ask('skip_chat', { sessionId: 'nowhere' })).toMatchObject({
          data: { code: 'not_in_session' },
        });
      }
    });

    it('with 1003 for a binary frame', async () => {
      const socket = await arrived();
      socket.socket.send(Buffer.from('{"event":"ping"}'));
      expect(await socket.closed).toBe(closeCodes.unsupportedData);
    });

    it('with 1009 for a frame over 16 KiB, but not for one of 16 KiB', async () => {
      const frame = (bytes: number) => {
        const empty = JSON.stringify({ event: 'ping', ref: 'big', data: { x: '' } });
        return empty.replace('"x":""', `"x":"${'x'.repeat(bytes - empty.length)}"`);
      };
      const socket = await arrived();
      socket.send(frame(limits.frameMaxBytes));
      await until(() => socket.frames.some(({ ref }) => ref === 'big'));
      socket.send(frame(limits.frameMaxBytes + 1));
      expect(await socket.closed).toBe(closeCodes.messageTooBig);
    });

    it('for a frame of 20 MiB before it is read, without effect on other sockets', async () => {
      const other = await arrived();
      const socket = await arrived();
      socket.socket.send('x'.repeat(20 * 1024 * 1024));
      expect([closeCodes.messageTooBig, closeCodes.abnormal]).toContain(await socket.closed);
      expect(await other.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('for a flood of tiny fragments, without effect on other sockets', async () => {
      const other = await arrived();
      const socket = await arrived();
      for (let count = 0; count < 50_000; count += 1) socket.socket.send('x', { fin: false });
      expect([closeCodes.policyViolation, closeCodes.abnormal]).toContain(await socket.closed);
      expect(await other.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('with 4401 at once when its cookie is missing or forged', async () => {
      const visitor = await thaw.createVisitor(0);
      const forged = visitor.cookie.replace(/.{8}$/, 'AAAAAAAA');
      for (const cookie of ['', 'thaw.sid=nonsense', 'thaw.sid=s%3Anonsense.nonsense', forged]) {
        const socket = await visitor.connect(undefined, { cookie });
        expect(await socket.closed).toBe(closeCodes.notSignedIn);
        expect(socket.frames).toEqual([]);
      }
    });

    it('with 4403 when it authenticates as another user', async () => {
      const victim = await thaw.createVisitor(0, 'male');
      const socket = await (await thaw.createVisitor(0, 'male')).connect();
      socket.send({ event: 'authenticate', data: { userId: victim.user.id }, ref: 'a' });
      expect(await socket.closed).toBe(closeCodes.userMismatch);
      expect(socket.frames).toEqual([]);
    });

    it('with 4408 when it does not authenticate in time', async () => {
      shorten(limits, 'authenticateTimeoutMs', 100);
      const visitor = await thaw.createVisitor(0, 'male');
      const silent = await visitor.connect();
      const arriving = await visitor.openSocket();
      expect(await silent.closed).toBe(closeCodes.authenticateTimeout);
      expect(await arriving.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('with 4409 when it is the oldest of six, on any replica', async () => {
      const visitor = await thaw.createVisitor(0, 'male');
      const sockets: ThawSocket[] = [];
      for (let index = 0; index < limits.socketsPerUser; index += 1) {
        sockets.push(await visitor.openSocket(thaw.origins[index % 2]));
      }
      const [oldest, second] = sockets;
      const sixth = await visitor.openSocket(thaw.origins[1]);
      expect(await oldest!.closed).toBe(closeCodes.tooManySockets);
      const seventh = await visitor.openSocket(thaw.origins[0]);
      expect(await second!.closed).toBe(closeCodes.tooManySockets);
      for (const socket of [...sockets.slice(2), sixth, seventh]) {
        expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
      }
      // A socket that leaves makes room for another.
      await seventh.leave();
      await until(async () => (await thaw.store.redis.hlen(socketsKey(visitor.user.id))) === 4);
      const eighth = await visitor.openSocket();
      for (const socket of [...sockets.slice(2), sixth, eighth]) {
        expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
      }
    });

    it('with 1013 when its client does not read, while other sockets are served', async () => {
      const visitor = await thaw.createVisitor(0, 'male');
      const [slow, quick] = [await visitor.openSocket(), await visitor.openSocket()];
      slow.socket.pause();
      const channels = part(0, UserPublisherService);
      const frame = JSON.stringify({ event: 'friendship_removed', data: { filler: 'x'.repeat(60_000) } });
      // The kernel buffers of both ends hold some megabytes, which do not count.
      await until(async () => {
        for (let count = 0; count < 20; count += 1) {
          await channels.publish(visitor.user.id, { kind: 'frame', frame });
        }
        return here(0, visitor.user.id).filter(({ isOpen }) => isOpen).length === 1;
      });
      expect(await quick.ask('ping', {})).toMatchObject({ event: 'pong' });
      slow.socket.resume();
      expect(await slow.closed).toBe(closeCodes.consumerTooSlow);
    });

    it('with 4429 when more than 64 frames are queued', async () => {
      const join = { event: 'leave_queue' };
      const polite = await arrived();
      sendAtOnce(polite, [
        ...Array.from({ length: realtimeLimits.queuedFrames - 1 }, () => join),
        { event: 'ping', ref: 'last' },
      ]);
      await until(() => polite.frames.some(({ ref }) => ref === 'last'));
      const flooding = await arrived();
      sendAtOnce(
        flooding,
        Array.from({ length: 4 * realtimeLimits.queuedFrames }, () => join),
      );
      expect(await flooding.closed).toBe(closeCodes.flooding);
    });

    it('with 4429 when it keeps sending after rate_limited errors', async () => {
      const strict = await thaw.add({ LIMITS_PROFILE: 'strict' });
      const visitor = await thaw.createVisitor(0, 'male');
      const socket = await visitor.openSocket(strict.origin);
      let isClosed = false;
      void socket.closed.then(() => (isClosed = true));
      let refusals = 0;
      while (!isClosed) {
        const answer = await Promise.race([socket.ask('ping', {}), socket.closed]);
        if (typeof answer === 'number') break;
        if (answer.event !== 'error') continue;
        refusals += 1;
        expect(answer.data).toMatchObject({ code: 'rate_limited' });
        expect(answer.data.retryAfterMs).toBeGreaterThan(0);
      }
      expect(await socket.closed).toBe(closeCodes.flooding);
      expect(refusals).toBeGreaterThanOrEqual(50);
    });
  });

  describe('an upgrade', () => {
    it.each([
      [{ origin: 'https://elsewhere.example' }],
      [{ origin: 'null' }],
      [{ 'sec-fetch-site': 'cross-site' }],
      [{ 'sec-fetch-site': 'same-site' }],
    ])('is refused with 403 from a foreign origin: %j', async (headers) => {
      const visitor = await thaw.createVisitor(0);
      await expect(visitor.connect(undefined, headers as Record<string, string>)).rejects.toThrow('403');
    });

    it('is accepted from an allowed origin', async () => {
      const visitor = await thaw.createVisitor(0);
      const [origin = ''] = thaw.origins;
      const socket = await visitor.connect(undefined, { origin, 'sec-fetch-site': 'same-origin' });
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('is refused at another path', async () => {
      const visitor = await thaw.createVisitor(0);
      const [origin = ''] = thaw.origins;
      const url = `${origin.replace('http', 'ws')}/elsewhere`;
      await expect(ThawSocket.open(url, { cookie: visitor.cookie }, 1)).rejects.toThrow();
    });

    it('that is aborted leaves nothing behind', async () => {
      const { port } = new URL(thaw.origins[0] ?? '');
      const wire = connect(Number(port), '127.0.0.1');
      wire.write('GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
      await new Promise<void>((resolve) => wire.end(resolve));
      expect(await (await arrived()).ask('ping', {})).toMatchObject({ event: 'pong' });
    });
  });

  describe('heartbeat', () => {
    it('pings a silent peer and keeps the socket when the peer answers', async () => {
      const socket = await arrived();
      const [connection] = here(0, socket.userId);
      const pinged = new Promise((resolve) => socket.socket.once('ping', resolve));
      connection!.checkHeartbeat(Date.now()); // takes note of the frames received so far
      connection!.checkHeartbeat(Date.now() + realtimeLimits.pingEveryMs);
      await pinged;
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' }); // so the pong has arrived, too
      connection!.checkHeartbeat(Date.now() + realtimeLimits.pingEveryMs + realtimeLimits.pongWithinMs);
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('disconnects a peer that does not answer', async () => {
      const socket = await arrived();
      const [connection] = here(0, socket.userId);
      socket.socket.pause();
      connection!.checkHeartbeat(Date.now()); // takes note of the frames received so far
      const now = Date.now() + realtimeLimits.pingEveryMs;
      connection!.checkHeartbeat(now);
      connection!.checkHeartbeat(now + realtimeLimits.pongWithinMs - 1);
      expect(connection!.isOpen).toBe(true);
      connection!.checkHeartbeat(now + realtimeLimits.pongWithinMs);
      await connection!.closed;
      expect(here(0, socket.userId)).toEqual([]);
    });
  });

  describe('and its login', () => {
    const password = 'correct horse';
    const twoLogins = async () => {
      const email = `${randomUUID()}@example.org`;
      const [first = ''] = thaw.origins;
      const one = await new ThawVisitor([first]).register(email, password, 'male');
      const other = await new ThawVisitor([first]).logIn(email, password);
      return { one, other };
    };

    it('end together at once on every replica, while sockets of other logins stay open', async () => {
      const { one, other } = await twoLogins();
      const ended = await Promise.all(thaw.origins.slice(0, 2).map((origin) => one.openSocket(origin)));
      const kept = await Promise.all(thaw.origins.slice(0, 2).map((origin) => other.openSocket(origin)));
      const before = Date.now();
      await one.logOut();
      expect(await Promise.all(ended.map(({ closed }) => closed))).toEqual([4401, 4401]);
      // Takes about a second on an idle machine; the periodic check alone would take 30 s.
      expect(Date.now() - before).toBeLessThan((realtimeLimits.familyCheckMs / 6) * estimateSlowdown());
      for (const socket of kept) expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('stay connected when the session id is rotated', async () => {
      const visitor = await thaw.createVisitor(0, 'male');
      const socket = await visitor.openSocket(thaw.origins[1]);
      const converted = await visitor.call('POST', '/api/convert-anonymous', {
        userId: visitor.user.id,
        email: `${randomUUID()}@example.org`,
        password,
      });
      expect(converted.status).toBe(200);
      await part<SocketRegistry>(1, SocketRegistry).closeEndedLogins();
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('end together at the periodic check when the announcement is lost', async () => {
      const { one, other } = await twoLogins();
      const [ended, kept] = [await one.openSocket(thaw.origins[1]), await other.openSocket(thaw.origins[1])];
      jest.spyOn(part(0, UserPublisherService), 'publish').mockResolvedValue();
      await one.logOut();
      expect(await ended.ask('ping', {})).toMatchObject({ event: 'pong' });
      await part<SocketRegistry>(1, SocketRegistry).closeEndedLogins();
      expect(await ended.closed).toBe(closeCodes.notSignedIn);
      expect(await kept.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('end together when the login ends between upgrade and first frame, which has no effect', async () => {
      const visitor = await thaw.createVisitor(0, 'male');
      const identities = part<SocketIdentityPort>(1, SOCKET_IDENTITY_PORT);
      const identify = identities.identify.bind(identities);
      jest.spyOn(identities, 'identify').mockImplementationOnce(async (request) => {
        const identity = await identify(request);
        await visitor.call('POST', '/api/logout');
        return identity;
      });
      const socket = await visitor.connect(thaw.origins[1]);
      socket.send({ event: 'authenticate', data: { userId: visitor.user.id }, ref: 'a' });
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
      expect(socket.frames).toEqual([]);
      expect(await thaw.store.keys(`{matching}:user:${visitor.user.id}`)).toEqual([]);
    });
  });

  it('is not recorded as open when it closes during registration', async () => {
    const visitor = await thaw.createVisitor(0, 'male');
    const { id } = visitor.user;
    const channels = part(0, RedisSubscriberService);
    const subscribe = channels.subscribe.bind(channels);
    let goOn: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(channels, 'subscribe').mockImplementationOnce(async (channel, listener) => {
      await subscribe(channel, listener);
      await gone;
    });
    const socket = await visitor.connect();
    const connection = await until(() => here(0, id)[0]);
    await socket.leave();
    await until(() => here(0, id).length === 0);
    goOn();
    await connection?.ready;
    await until(async () => (await thaw.store.keys(socketsKey(id))).length === 0, Boolean, 1_000);
  });

  it('leaves nothing behind, however it opens and closes', async () => {
    const visitor = await thaw.createVisitor(0, 'male');
    const { id } = visitor.user;
    for (let round = 0; round < 16; round += 1) {
      await Promise.all(
        [0, 1, 0, 1].map(async (replica) => {
          const socket = await visitor.connect(thaw.origins[replica]);
          if (round % 4 === 1) socket.send({ event: 'authenticate', data: { userId: id }, ref: 'a' });
          if (round % 4 === 2) await socket.request('authenticate', { userId: id });
          await (round % 2 ? socket.cut() : socket.leave());
        }),
      );
    }
    await until(() => here(0, id).length + here(1, id).length === 0);
    // Commands sent before the last socket closed have been executed by now: they share one ordered connection.
    await until(async () => (await thaw.store.redis.hlen(socketsKey(id))) === 0);
    await until(async () => {
      const [, listeners] = (await thaw.store.redis.pubsub('NUMSUB', userChannel(id))) as [string, number];
      return Number(listeners) === 0;
    });
    expect(await thaw.store.keys(`*${id}*`)).toEqual([]);
  });
});
