// Real: PostgreSQL, Redis, an api replica over HTTP and sockets.
//
// Authorization of every HTTP route and every socket event: each kind of user tries each with their own ids, ids of
// another user, ids that do not exist, and malformed ids. A route or event missing from the tables below fails this
// file.
import type { NestExpressApplication } from '@nestjs/platform-express';
import { limits } from '@thaw/contract/limits';
import { questions } from '@thaw/contract/questions';
import { collectGatewayMethods } from '../platform/realtime/gateway-methods.functions';
import { plainJpeg } from '../testing/image-corpus.fixture';
import { makeFriends, recordPastChat } from '../testing/relationship.fixture';
import { startTestReplicas, type TestReplicas } from '../testing/test-replicas.harness';
import { matchNewVisitors, ThawSocket, ThawVisitor } from '../testing/thaw.client';
import { UploadsService } from './uploads/application/uploads.service';

jest.setTimeout(120_000);

/** The kinds of users, by their relation to `self`. */
const signedIn = ['self', 'anonymous', 'stranger', 'friend', 'partner'] as const;
type Actor = (typeof signedIn)[number];
const kinds = ['own', 'other', 'missing', 'malformed'] as const;
type Kind = (typeof kinds)[number];

/** The expected result: a status with its code, the code of an error frame, or the event of an answer. */
type Outcome = string | ({ else: string } & Partial<Record<Actor, string>>);
type Outcomes = Partial<Record<Kind, Outcome>>;

/** Ids of one kind: own, another user's, missing or malformed. */
interface Ids {
  user: unknown;
  session: unknown;
  message: unknown;
  request: unknown;
  image: unknown;
  /** The caller's own user id, for every kind. */
  me: number;
  /** A user without friends. */
  loner: number;
  /** The user who owns the ids of the kind `other`. */
  them: number;
}

interface HttpCase {
  path?: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  outcomes: Outcomes;
}
interface FrameCase {
  data: (ids: Ids) => unknown;
  outcomes: Outcomes;
}

const forbidden = '403 forbidden';
const notFound = '404 not_found';
const invalid = '400 validation_failed';

/** Outcomes for a path or body that contains the caller's id. */
const mine = (own: Outcome, malformed = notFound): Outcomes => ({
  own,
  other: forbidden,
  missing: forbidden,
  malformed,
});
const onlyFriends = (ok: string): Outcomes => ({
  own: '403 not_friends',
  other: { friend: ok, else: '403 not_friends' },
  missing: '403 not_friends',
  malformed: notFound,
});
/** Outcome of a case without ids: the same for every caller. */
const always = (outcome: Outcome): Outcomes => ({ own: outcome });

const routes: Record<string, { isPublic?: true; cases: HttpCase[] }> = {
  /** A path without a route. */
  'ALL /api': { isPublic: true, cases: [{ outcomes: always(notFound) }] },
  'POST /api/login': { isPublic: true, cases: [{ body: () => ({}), outcomes: always(invalid) }] },
  'POST /api/register': { isPublic: true, cases: [{ body: () => ({}), outcomes: always(invalid) }] },
  'POST /api/anonymous': { isPublic: true, cases: [] },
  'POST /api/logout': { isPublic: true, cases: [] },
  'POST /api/convert-anonymous': {
    cases: [
      {
        body: ({ user }) => ({ userId: user, email: 'taken@example.org', password: 'secret' }),
        outcomes: mine({ stranger: '403 not_anonymous', else: '409 email_taken' }, invalid),
      },
    ],
  },
  'GET /api/user/:id': {
    cases: [
      {
        path: ({ user }) => `/api/user/${String(user)}`,
        outcomes: {
          own: '200',
          other: { friend: '200', partner: '200', else: notFound },
          missing: notFound,
          malformed: notFound,
        },
      },
    ],
  },
  'PUT /api/user/:id': {
    cases: [
      {
        path: ({ user }) => `/api/user/${String(user)}`,
        body: () => ({ username: 'Somebody', avatar: null }),
        outcomes: mine('200'),
      },
    ],
  },
  'PATCH /api/user/:id': {
    cases: [
      {
        path: ({ user }) => `/api/user/${String(user)}`,
        body: () => ({ gender: 'male' }),
        outcomes: mine('409 gender_already_set'),
      },
    ],
  },
  'PUT /api/user/:id/email': {
    cases: [
      {
        path: ({ user }) => `/api/user/${String(user)}/email`,
        body: () => ({ newEmail: 'new@example.org', currentPassword: 'wrong' }),
        outcomes: mine({ stranger: '403 wrong_password', else: forbidden }),
      },
    ],
  },
  'PUT /api/user/:id/password': {
    cases: [
      {
        path: ({ user }) => `/api/user/${String(user)}/password`,
        body: () => ({ newPassword: 'secrets', currentPassword: 'wrong' }),
        outcomes: mine({ stranger: '403 wrong_password', else: forbidden }),
      },
    ],
  },
  'POST /api/friends/request': {
    cases: [
      {
        body: ({ user, loner }) => ({ requesterId: user, addresseeId: loner }),
        outcomes: mine(notFound, invalid),
      },
      {
        body: ({ user, me }) => ({ requesterId: me, addresseeId: user }),
        outcomes: {
          own: notFound,
          other: { friend: '409 already_friends', partner: '201', else: notFound },
          missing: notFound,
          malformed: invalid,
        },
      },
    ],
  },
  'PUT /api/friends/request/:requestId': {
    cases: [
      {
        path: ({ request }) => `/api/friends/request/${String(request)}`,
        body: () => ({ status: 'declined' }),
        outcomes: { own: '200', other: notFound, missing: notFound, malformed: notFound },
      },
    ],
  },
  'GET /api/friends/requests/:userId': {
    cases: [{ path: ({ user }) => `/api/friends/requests/${String(user)}`, outcomes: mine('200') }],
  },
  'GET /api/friends/:userId': {
    cases: [{ path: ({ user }) => `/api/friends/${String(user)}`, outcomes: mine('200') }],
  },
  'GET /api/chat-history/:userId': {
    cases: [{ path: ({ user }) => `/api/chat-history/${String(user)}`, outcomes: mine('200') }],
  },
  'GET /api/private-messages/unread-counts/:userId': {
    cases: [
      { path: ({ user }) => `/api/private-messages/unread-counts/${String(user)}`, outcomes: mine('200') },
    ],
  },
  'GET /api/private-messages/:userId/:friendId': {
    cases: [
      {
        path: ({ user, loner }) => `/api/private-messages/${String(user)}/${loner}`,
        outcomes: mine('403 not_friends'),
      },
      { path: ({ user, me }) => `/api/private-messages/${me}/${String(user)}`, outcomes: onlyFriends('200') },
    ],
  },
  'PUT /api/private-messages/read/:friendId/:userId': {
    cases: [
      {
        path: ({ user, loner }) => `/api/private-messages/read/${loner}/${String(user)}`,
        outcomes: mine('403 not_friends'),
      },
      {
        path: ({ user, me }) => `/api/private-messages/read/${String(user)}/${me}`,
        outcomes: onlyFriends('204'),
      },
    ],
  },
  'POST /api/upload': { cases: [{ body: () => ({}), outcomes: always('415 unsupported_type') }] },
  'GET /api/files/:bucket/*key': {
    cases: [
      {
        path: ({ image }) => String(image),
        outcomes: { own: '200', other: notFound, missing: notFound, malformed: notFound },
      },
    ],
  },
  // Last, because it ends the friendship.
  'DELETE /api/friends/:userId/:friendId': {
    cases: [
      { path: ({ user, loner }) => `/api/friends/${String(user)}/${loner}`, outcomes: mine(notFound) },
      {
        path: ({ user, me }) => `/api/friends/${me}/${String(user)}`,
        outcomes: {
          own: notFound,
          other: { friend: '204', else: notFound },
          missing: notFound,
          malformed: notFound,
        },
      },
    ],
  },
};

const [question] = questions;
const notInSession: Outcomes = {
  other: 'not_in_session',
  missing: 'not_in_session',
  malformed: 'invalid_payload',
};
const asMe = (own?: Outcome): Outcomes => ({
  ...(own === undefined ? {} : { own }),
  other: 'forbidden',
  missing: 'forbidden',
  malformed: 'invalid_payload',
});
const inSession = (data: (ids: Ids) => object, ownIds?: (ids: Ids) => object): FrameCase[] => [
  { data: (ids) => ({ ...data(ids), sessionId: ids.session }), outcomes: notInSession },
  ...(ownIds
    ? [{ data: (ids: Ids) => ({ ...data(ids), sessionId: 'nothing', ...ownIds(ids) }), outcomes: asMe() }]
    : []),
];
const ofMessage = (data: (ids: Ids) => object, me: string, ofFriend: string): FrameCase[] => [
  {
    data: (ids) => ({ ...data(ids), messageId: ids.message, receiverId: ids.them, [me]: ids.me }),
    outcomes: {
      other: { friend: ofFriend, else: 'not_friends' },
      missing: { friend: 'message_not_found', else: 'not_friends' },
      malformed: 'invalid_payload',
    },
  },
  {
    data: (ids) => ({ ...data(ids), messageId: 1, receiverId: ids.loner, [me]: ids.user }),
    outcomes: asMe('not_friends'),
  },
];

const events: Record<string, FrameCase[]> = {
  authenticate: [
    {
      data: ({ user }) => ({ userId: user }),
      outcomes: {
        own: 'authenticated',
        other: 'closed 4403',
        missing: 'closed 4403',
        malformed: 'invalid_payload',
      },
    },
  ],
  leave_queue: [{ data: () => ({}), outcomes: always('ack') }],
  join_queue: [
    {
      data: () => ({}),
      outcomes: always({ self: 'already_in_session', partner: 'already_in_session', else: 'ack' }),
    },
  ],
  show_chat: inSession(() => ({ showsChat: true })),
  skip_chat: inSession(() => ({})),
  random_message: inSession(() => ({ content: 'hi', messageType: 'text' })),
  break_ice_start: inSession(
    ({ me }) => ({ gameId: 'g', question: { id: question!.id }, initiatorId: me }),
    ({ user }) => ({ initiatorId: user }),
  ),
  break_ice_response: inSession(
    ({ me }) => ({ gameId: 'g', response: 'x', userId: me }),
    ({ user }) => ({ userId: user }),
  ),
  break_ice_ignore: inSession(
    ({ me }) => ({ gameId: 'g', userId: me }),
    ({ user }) => ({ userId: user }),
  ),
  message_reaction: inSession(
    ({ me }) => ({ messageId: '1-0', emoji: '🔥', action: 'add', userId: me }),
    ({ user }) => ({ userId: user }),
  ),
  message_edit: inSession(
    ({ me }) => ({ messageId: '1-0', newContent: 'x', userId: me }),
    ({ user }) => ({ userId: user }),
  ),
  typing: [
    ...inSession(() => ({})),
    {
      data: ({ user }) => ({ receiverId: user }),
      outcomes: {
        own: 'not_friends',
        other: { friend: 'ack', else: 'not_friends' },
        missing: 'not_friends',
        malformed: 'invalid_payload',
      },
    },
  ],
  send_private_message: [
    {
      data: ({ user, loner }) => ({ senderId: user, receiverId: loner, content: 'x', messageType: 'text' }),
      outcomes: asMe('not_friends'),
    },
    {
      data: ({ user, me }) => ({ senderId: me, receiverId: user, content: 'x', messageType: 'text' }),
      outcomes: {
        own: 'not_friends',
        other: { friend: 'ack', else: 'not_friends' },
        missing: 'not_friends',
        malformed: 'invalid_payload',
      },
    },
  ],
  edit_private_message: ofMessage(() => ({ newContent: 'x' }), 'senderId', 'not_editable'),
  react_private_message: ofMessage(() => ({ emoji: '🔥' }), 'userId', 'ack'),
  delete_private_message: ofMessage(() => ({}), 'senderId', 'not_editable'),
};

/** Express registers `ALL` as a list of every method; a route with more methods than this is one. */
const METHODS_OF_A_ROUTE = 7;

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** The routes that Express serves, as `METHOD path`. */
const servedRoutes = (app: NestExpressApplication): string[] => {
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: Layer[] } };
  return router.stack.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    const named = methods.length > METHODS_OF_A_ROUTE ? ['ALL'] : methods;
    return named.map((method) => `${method.toUpperCase()} ${route?.path}`);
  });
};

const expectedOf = (outcome: Outcome, actor: Actor): string =>
  typeof outcome === 'string' ? outcome : (outcome[actor] ?? outcome.else);

describe('authorization', () => {
  let thaw: TestReplicas;
  let signedOut: ThawVisitor;
  let loner: ThawVisitor;
  const actors = {} as Record<Actor, ThawVisitor>;
  const sockets: ThawSocket[] = [];
  const images = new Map<ThawVisitor, string>();
  const requests = new Map<ThawVisitor, unknown>();
  let chatOfSelf: string;
  let chatOfOthers: string;
  let messageOfSelf: unknown;

  beforeAll(async () => {
    // Leaving the queue must not end the chats below, no matter how fast this runs.
    jest.replaceProperty<{ leaveCountsAsSkipWithinMs: number }, 'leaveCountsAsSkipWithinMs'>(
      limits,
      'leaveCountsAsSkipWithinMs',
      -1,
    );
    thaw = await startTestReplicas(1);
    const [replica] = thaw.replicas;
    const origin = replica!.origin;
    const chat = await matchNewVisitors([origin, origin]);
    const others = await matchNewVisitors([origin, origin]);
    [chatOfSelf, chatOfOthers] = [chat.sessionId, others.sessionId];
    sockets.push(chat.adaSocket, chat.bobSocket, others.adaSocket, others.bobSocket);
    signedOut = new ThawVisitor([origin]);
    loner = await thaw.createVisitor(0, 'male');
    actors.self = chat.ada;
    actors.partner = chat.bob;
    actors.friend = await thaw.createVisitor(0, 'male');
    actors.anonymous = await thaw.createVisitor(0, 'female');
    actors.stranger = await new ThawVisitor([origin]).register('taken@example.org', 'secret', 'male');
    await makeFriends(replica!, actors.self, actors.friend);
    const { self, friend } = actors;
    ({ id: messageOfSelf } = await chat.adaSocket.request('send_private_message', {
      senderId: self.user.id,
      receiverId: friend.user.id,
      content: 'hello',
      messageType: 'text',
    }));
    const asker = await thaw.createVisitor(0);
    for (const actor of Object.values(actors)) {
      await recordPastChat(replica!, asker, actor);
      const request = { requesterId: asker.user.id, addresseeId: actor.user.id };
      requests.set(actor, (await asker.call('POST', '/api/friends/request', request)).body.id);
      images.set(
        actor,
        await replica!.app.get(UploadsService).receive({
          ownerId: actor.user.id,
          bucket: 'chat-images',
          fileName: 'x',
          bytes: await plainJpeg(),
        }),
      );
    }
  });
  afterAll(() => thaw.close());

  const idsFor = (actor: Actor, kind: Kind): Ids => {
    const who = actors[actor];
    const them = actor === 'self' ? actors.stranger : actors.self;
    const always = { me: who.user.id, loner: loner.user.id, them: them.user.id };
    const isInChatOfSelf = actor === 'self' || actor === 'partner';
    switch (kind) {
      case 'own':
      case 'other': {
        const whose = kind === 'own' ? who : them;
        return {
          ...always,
          user: whose.user.id,
          session: (kind === 'own') === isInChatOfSelf ? chatOfSelf : chatOfOthers,
          message: messageOfSelf,
          request: requests.get(whose),
          image: images.get(whose),
        };
      }
      case 'missing': {
        const nothing = Number.MAX_SAFE_INTEGER;
        const image = '/api/files/chat-images/01234567-89ab-cdef-0123-456789abcdef.webp';
        return { ...always, user: nothing, session: 'nothing', message: nothing, request: nothing, image };
      }
      case 'malformed': {
        const image = '/api/files/chat-images/..%2f..%2fetc';
        return { ...always, user: '0x1', session: 7, message: '1', request: '-1', image };
      }
    }
  };

  const call = async (
    who: ThawVisitor,
    route: string,
    { path, body }: HttpCase,
    ids: Ids,
  ): Promise<string> => {
    const [method = '', template = ''] = route.split(' ');
    const verb = method === 'ALL' ? 'GET' : method;
    const { status, body: answer } = await who.call(verb, path?.(ids) ?? template, body?.(ids));
    return status < 400 ? `${status}` : `${status} ${String(answer.code)}`;
  };

  const ask = async (who: ThawVisitor, event: string, data: unknown): Promise<string> => {
    const socket = event === 'authenticate' ? await who.connect() : await who.openSocket();
    try {
      const answer = socket.ask(event as 'ping', data as never);
      const closed = socket.closed.then((code) => `closed ${code}`);
      const frame = await Promise.race([answer, closed]);
      answer.catch(() => undefined);
      if (typeof frame === 'string') return frame;
      if (event === 'join_queue' && frame.event === 'ack') await socket.request('leave_queue', {});
      return frame.event === 'error' ? String(frame.data.code) : frame.event;
    } finally {
      await socket.leave();
    }
  };

  it('is specified here for every route, and for no missing one', () => {
    const served = servedRoutes(thaw.replicas[0]!.app).filter((route) => !route.startsWith('GET /api/docs'));
    expect([...new Set(served)].sort()).toEqual(Object.keys(routes).sort());
  });

  it('is specified here for every event, and for no missing one', () => {
    expect([...collectGatewayMethods(thaw.replicas[0]!.app).keys()].sort()).toEqual(
      Object.keys(events).sort(),
    );
  });

  it.each(Object.keys(events))('is required to send %s', async (event) => {
    const socket = await ThawSocket.open(`${thaw.origins[0]!.replace(/^http/, 'ws')}/ws`, {}, 0);
    expect(await socket.closed).toBe(4401);
    if (event === 'authenticate') return;
    const unauthenticated = await actors.self.connect();
    expect(await unauthenticated.ask(event as 'ping', {})).toMatchObject({
      data: { code: 'not_authenticated' },
    });
    await unauthenticated.leave();
  });

  const eachCase = async (
    cases: readonly { outcomes: Outcomes }[],
    attempt: (index: number, actor: Actor, ids: Ids) => Promise<string>,
  ): Promise<void> => {
    const expected: string[] = [];
    const actual: string[] = [];
    for (const [index, { outcomes }] of cases.entries()) {
      for (const actor of signedIn) {
        for (const kind of kinds) {
          const outcome = outcomes[kind];
          if (outcome === undefined) continue;
          const title = `${index + 1}. ${actor}, ${kind}: `;
          expected.push(title + expectedOf(outcome, actor));
          actual.push(title + (await attempt(index, actor, idsFor(actor, kind))));
        }
      }
    }
    expect(actual).toEqual(expected);
  };

  describe.each(Object.entries(events))('the frame %s', (event, cases) => {
    it('gets the specified answers', async () => {
      await eachCase(cases, (index, actor, ids) => ask(actors[actor], event, cases[index]!.data(ids)));
    });
  });

  describe.each(Object.entries(routes).filter(([, { cases }]) => cases.length > 0))(
    'the route %s',
    (route, { isPublic, cases }) => {
      it('gets the specified answers', async () => {
        await eachCase(cases, (index, actor, ids) => call(actors[actor], route, cases[index]!, ids));
      });

      it('is refused without a login unless it is public', async () => {
        for (const one of cases) {
          for (const kind of kinds) {
            if (one.outcomes[kind] === undefined) continue;
            const expected = isPublic ? one.outcomes[kind] : '401 not_signed_in';
            expect([kind, await call(signedOut, route, one, idsFor('self', kind))]).toEqual([kind, expected]);
          }
        }
      });
    },
  );
});
