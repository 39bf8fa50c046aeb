// Uses real PostgreSQL, Redis and sockets; two api replicas run in this process. `createVisitor(0)` signs up a visitor
// at the first one. When the answer to a frame is an error, `ask` returns it, and `request` throws.
import { connect } from 'node:net';
import { UsersService } from '../../modules/users/application/users.service';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { sendAtOnce, waitForAnswers } from '../../testing/test-sockets.functions';
import { ThawSocket } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';

jest.setTimeout(30_000);

describe('OrderedWsAdapter', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /** Opens an authenticated socket of a new visitor. */
  const openSocket = async (gender: 'male' | 'female' = 'male'): Promise<ThawSocket> =>
    (await stack.createVisitor(0, gender)).openSocket();
  const openUnauthenticatedSocket = async (gender: 'male' | 'female' = 'male'): Promise<ThawSocket> =>
    (await stack.createVisitor(0, gender)).openUnauthenticatedSocket();

  describe('answers to frames', () => {
    it('arrive in the order of the frames, even if an earlier frame takes longer', async () => {
      const socket = await openUnauthenticatedSocket('female');
      const users = stack.replicas[0]!.app.get(UsersService);
      const findSearcher = users.findSearcher.bind(users);
      let continueLookUp: () => void = () => undefined;
      const mayContinue = new Promise<void>((resolve) => (continueLookUp = resolve));
      // `join_queue` looks the user up, and waits until the test lets it continue.
      const lookUp = jest.spyOn(users, 'findSearcher').mockImplementation(async (userId) => {
        await mayContinue;
        return findSearcher(userId);
      });
      const frames = [
        { event: 'authenticate', data: { userId: socket.userId }, ref: '1' },
        { event: 'join_queue', data: { preferences: 'male' }, ref: '2' },
        { event: 'ping', ref: '3' },
        '{', // invalid JSON, so the answer has no ref
        { event: 'leave_queue', ref: '4' },
        { event: 'ping', ref: '5' },
      ];
      sendAtOnce(socket, frames);
      await until(() => lookUp.mock.calls.length);
      expect(socket.frames.map(({ ref }) => ref)).not.toContain('3');
      continueLookUp();
      const answers = await waitForAnswers(socket, frames.length);
      expect(answers.map(({ event, ref }) => [event, ref])).toEqual([
        ['authenticated', '1'],
        ['ack', '2'],
        ['pong', '3'],
        ['error', undefined],
        ['ack', '4'],
        ['pong', '5'],
      ]);
    });

    it('are sent once per ref, for accepted and for refused frames', async () => {
      const socket = await openSocket();
      const earlierFrameCount = socket.frames.length;
      const frames = Array.from({ length: 10 }, (_, round) => [
        { event: 'ping', ref: `ping-${round}` },
        { event: 'leave_queue', data: {}, ref: `leave-${round}` },
        // Refused: the chat and the event do not exist.
        { event: 'skip_chat', data: { sessionId: 'nowhere' }, ref: `skip-${round}` },
        { event: 'nonsense', ref: `nonsense-${round}` },
      ]).flat();
      sendAtOnce(socket, frames);
      const answers = await waitForAnswers(socket, frames.length, earlierFrameCount);
      expect(answers.map(({ ref }) => ref)).toEqual(frames.map(({ ref }) => ref));
    });

    it('are sent only once, even if the gateway method fails after it has answered', async () => {
      const waiting = await openSocket('male');
      await waiting.request('join_queue', { preferences: 'female' });
      const joining = await openSocket('female');
      // The match is made, and then its chat cannot be started.
      jest
        .spyOn(stack.replicas[0]!.app.get(UsersService), 'findProfilesWithStanding')
        .mockRejectedValueOnce(new Error('database unavailable'));
      sendAtOnce(joining, [
        { event: 'join_queue', data: {}, ref: 'join' },
        { event: 'ping', ref: 'after' },
      ]);
      await until(() => joining.frames.some(({ ref }) => ref === 'after'));
      expect(joining.frames.filter(({ ref }) => ref === 'join').map(({ event }) => event)).toEqual(['ack']);
      // The claim (a match whose chat has not started) expires, and then the two users are matched after all.
      await joining.next('chat_matched');
    });

    it('include a pong for each ping before `authenticate`', async () => {
      const socket = await openUnauthenticatedSocket();
      socket.send({ event: 'ping' });
      socket.send({ event: 'ping', ref: 'p', data: { whatever: 1 } });
      await until(() => socket.frames.length === 2);
      expect(socket.frames).toEqual([{ event: 'pong' }, { event: 'pong', ref: 'p' }]);
    });

    it('are not sent for a successful frame without a ref', async () => {
      const socket = await openSocket();
      const earlierFrameCount = socket.frames.length;
      sendAtOnce(socket, [{ event: 'leave_queue' }, { event: 'ping', ref: 'after' }]);
      await until(() => socket.frames.some(({ ref }) => ref === 'after'));
      expect(socket.frames.slice(earlierFrameCount).map(({ event }) => event)).toEqual(['pong']);
    });
  });

  describe('refuses a frame', () => {
    // `parseUntrustedJson` refuses long texts that are nested too deeply, and keys that could change a prototype.
    const nestedLists = `${'['.repeat(7_000)}${']'.repeat(7_000)}`;

    /** Expects that the frame is answered with an error, and that the socket stays open. */
    const expectRefusal = async (frame: string, { code, ref }: { code: string; ref?: string }) => {
      const socket = await openSocket();
      socket.send(frame);
      const error = await until(() => socket.frames.find(({ event }) => event === 'error'));
      expect(error).toMatchObject({ data: { code } });
      expect(error?.ref).toBe(ref);
      expect(error?.data.message).toMatch(/^[A-Z].*\.$/);
      // The frame has not added a property to the prototype of all objects.
      expect(({} as { a?: number }).a).toBeUndefined();
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    };

    it.each([
      ['broken JSON', '{"event":'],
      ['an empty text', ''],
      ['a list', '[]'],
      ['null', 'null'],
      ['a number', '1'],
      ['a string', '"ping"'],
      ['14 KB of nested lists', `{"event":"ping","data":${nestedLists}}`],
      ['a key __proto__', '{"event":"ping","data":{"__proto__":{"a":1}},"ref":"r"}'],
      ['a key constructor', '{"event":"ping","constructor":{}}'],
      ['an escaped key __proto__', '{"event":"ping","\\u005f_proto__":1}'],
    ])('with invalid_json and without its ref if it contains %s', async (_content, frame) => {
      await expectRefusal(frame, { code: 'invalid_json' });
    });

    it.each([
      ['no event', '{"ref":"r"}'],
      ['an event that is not a string', '{"event":{},"ref":"r"}'],
      ['an unknown event', '{"event":"dance","ref":"r"}'],
      ['an event that only the server sends', '{"event":"chat_matched","ref":"r"}'],
      ['the name of an object method as event', '{"event":"toString","ref":"r"}'],
      ['__proto__ as event', '{"event":"__proto__","ref":"r"}'],
    ])('with unknown_event if it contains %s', async (_content, frame) => {
      await expectRefusal(frame, { code: 'unknown_event', ref: 'r' });
    });

    it.each([
      ['data that is not an object', '{"event":"leave_queue","data":"x","ref":"r"}'],
      ['data that is null', '{"event":"leave_queue","data":null,"ref":"r"}'],
      ['data that is a list', '{"event":"leave_queue","data":[],"ref":"r"}'],
      ['an unknown preference', '{"event":"join_queue","data":{"preferences":"cats"},"ref":"r"}'],
      ['a list of preferences', '{"event":"join_queue","data":{"preferences":["male"]},"ref":"r"}'],
      ['missing fields', '{"event":"random_message","data":{},"ref":"r"}'],
    ])('with invalid_payload if it contains %s', async (_content, frame) => {
      await expectRefusal(frame, { code: 'invalid_payload', ref: 'r' });
    });

    it.each([
      ['that is not a string', '{"event":"leave_queue","ref":7}'],
      ['of 65 characters', `{"event":"leave_queue","ref":"${'r'.repeat(65)}"}`],
    ])('with invalid_payload and without its ref if it contains a ref %s', async (_content, frame) => {
      await expectRefusal(frame, { code: 'invalid_payload' });
    });

    it('with not_authenticated if it comes before `authenticate`', async () => {
      const socket = await openUnauthenticatedSocket();
      for (const event of ['join_queue', 'leave_queue', 'skip_chat', 'random_message', 'typing'] as const) {
        expect(await socket.ask(event, {})).toMatchObject({
          event: 'error',
          data: { code: 'not_authenticated' },
        });
      }
    });

    it('with gender_required if a user without a gender joins the queue', async () => {
      const visitor = await stack.createVisitor(0);
      const socket = await visitor.openSocket();
      expect(await socket.ask('join_queue', {})).toMatchObject({ data: { code: 'gender_required' } });
    });

    it('with `internal` after an unexpected error, and handles later frames', async () => {
      const socket = await openSocket();
      jest
        .spyOn(stack.replicas[0]!.app.get(UsersService), 'findSearcher')
        .mockRejectedValueOnce(new Error('secret detail'));
      const reply = await socket.ask('join_queue', {});
      expect(reply).toMatchObject({ event: 'error', data: { code: 'internal' } });
      expect(JSON.stringify(reply)).not.toContain('secret');
      expect(await socket.ask('leave_queue', {})).toMatchObject({ event: 'ack' });
    });
  });

  describe('an upgrade', () => {
    it.each([
      [{ origin: 'https://elsewhere.example' }],
      [{ origin: 'null' }],
      [{ 'sec-fetch-site': 'cross-site' }],
      [{ 'sec-fetch-site': 'same-site' }],
    ])('is refused with 403 if its headers name a foreign origin: %j', async (headers) => {
      const visitor = await stack.createVisitor(0);
      const opening = visitor.openUnauthenticatedSocket(undefined, headers);
      await expect(opening).rejects.toThrow('403');
    });

    it('is accepted from an allowed origin', async () => {
      const visitor = await stack.createVisitor(0);
      const [origin = ''] = stack.origins;
      const headers = { origin, 'sec-fetch-site': 'same-origin' };
      const socket = await visitor.openUnauthenticatedSocket(undefined, headers);
      expect(await socket.ask('ping', {})).toMatchObject({ event: 'pong' });
    });

    it('is refused at another path', async () => {
      const visitor = await stack.createVisitor(0);
      const [origin = ''] = stack.origins;
      const url = `${origin.replace('http', 'ws')}/elsewhere`;
      await expect(ThawSocket.open(url, { cookie: visitor.cookie }, visitor.user.id)).rejects.toThrow();
    });

    it('that ends in the middle of its request does not affect later sockets', async () => {
      const { port } = new URL(stack.origins[0] ?? '');
      const connection = connect(Number(port), '127.0.0.1');
      connection.write('GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
      await new Promise<void>((resolve) => connection.end(resolve));
      expect(await (await openSocket()).ask('ping', {})).toMatchObject({ event: 'pong' });
    });
  });
});
