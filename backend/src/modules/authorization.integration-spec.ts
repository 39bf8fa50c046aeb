// Uses real PostgreSQL and Redis, with an api replica over HTTP and sockets.
//
// Authorization of every HTTP route and every socket event: each kind of user tries each with their own ids, ids of
// another user, ids that do not exist, and malformed ids. The expected outcomes are in `testing/authorization/`, one
// table per module; a route or event missing there fails this file.
import type { NestExpressApplication } from '@nestjs/platform-express';
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { collectGatewayMethods } from '../platform/realtime/gateway-methods.functions';
import {
  type AuthorizationActors,
  createActors,
} from '../testing/authorization/authorization-actors.fixture';
import {
  type Actor,
  ACTORS,
  HTTP_ACTORS,
  type HttpCase,
  ID_KINDS,
  MODERATORS,
  type RouteCases,
  type Ids,
  type Outcomes,
  resolveOutcome,
} from '../testing/authorization/authorization-case.fixture';
import { allFrames, allRoutes } from '../testing/authorization/authorization-tables.fixture';
import { startTestStack, type TestStack } from '../testing/test-stack.harness';
import { ThawSocket, ThawVisitor } from '../testing/thaw.client';

jest.setTimeout(120_000);

/**
 * A route with more methods than this counts as one that accepts every method: for such a route, Express lists all of
 * the more than 30 methods that it knows.
 */
const MAX_METHODS_OF_A_ROUTE = 7;

interface ExpressLayer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** The routes that Express serves, as `METHOD path`. */
const listServedRoutes = (app: NestExpressApplication): string[] => {
  const { router } = app.getHttpAdapter().getInstance() as unknown as { router: { stack: ExpressLayer[] } };
  return router.stack.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    const registered = methods.length > MAX_METHODS_OF_A_ROUTE ? ['ALL'] : methods;
    return registered.map((method) => `${method.toUpperCase()} ${route?.path}`);
  });
};

/** @returns the status, with the error code of a refusal. */
const callRoute = async (
  caller: ThawVisitor,
  route: string,
  { path, body }: HttpCase,
  ids: Ids,
): Promise<string> => {
  const [method = '', template = ''] = route.split(' ');
  // A route for all methods is tried with one of them.
  const verb = method === 'ALL' ? 'GET' : method;
  const { status, body: answer } = await caller.call(verb, path?.(ids) ?? template, body?.(ids));
  return status < 400 ? `${status}` : `${status} ${String(answer.code)}`;
};

/** @returns the event of the answer, the code of an error frame, or `closed <close code>`. */
const sendFrame = async (sender: ThawVisitor, event: string, data: unknown): Promise<string> => {
  const isAuthentication = event === 'authenticate';
  const socket = await (isAuthentication ? sender.openUnauthenticatedSocket() : sender.openSocket());
  try {
    // The cast allows any event and any data, malformed ones as well.
    const reply = socket.ask(event as 'ping', data as never);
    const closed = socket.closed.then((code) => `closed ${code}`);
    const frame = await Promise.race([reply, closed]);
    reply.catch(() => undefined); // after the socket has closed, the reply times out
    if (typeof frame === 'string') return frame;
    // Otherwise the user would still be searching in the next attempt.
    if (event === 'join_queue' && frame.event === 'ack') await socket.request('leave_queue', {});
    return frame.event === 'error' ? String(frame.data.code) : frame.event;
  } finally {
    await socket.closeCleanly();
  }
};

/**
 * The outcomes for suspended users. Excluded users are the suspended and the banned ones: a route refuses them, except
 * with the ids that `accessOfExcluded` allows.
 */
const toOutcomesForSuspended = (outcomes: Outcomes, access: RouteCases['accessOfExcluded']): Outcomes =>
  Object.fromEntries(
    Object.entries(outcomes).map(([kind, outcome]) => {
      const isAllowed = access === 'any_ids' || (access === 'own_ids' && kind === 'own');
      return [kind, isAllowed ? outcome : '403 suspended'];
    }),
  );

/** A case of a table. The expected outcomes may be those of other actors than in the table. */
interface CaseWithOutcomes {
  outcomes: Outcomes;
}

/** Tries a case as one actor with some ids. @returns the actual outcome. */
type Attempt<Case> = (triedCase: Case, actor: Actor, ids: Ids) => Promise<string>;

/** Both begin with the same title, which names the attempt in a failure. */
interface AttemptResult {
  expected: string;
  actual: string;
}

/** Compares all results at once, so that a failure shows every wrong outcome. */
const expectAllAsExpected = (results: readonly AttemptResult[]): void =>
  expect(results.map(({ actual }) => actual)).toEqual(results.map(({ expected }) => expected));

describe('authorization', () => {
  let stack: TestStack;
  let signedOutVisitor: ThawVisitor;
  let actors: AuthorizationActors;

  beforeAll(async () => {
    // `leave_queue` ends a chat that is at most this old. With -1 it never ends the chats of the actors. The type
    // arguments permit a value other than the literal in `limits`.
    jest.replaceProperty<{ leaveAsSkipWindowMs: number }, 'leaveAsSkipWindowMs'>(
      limits,
      'leaveAsSkipWindowMs',
      -1,
    );
    stack = await startTestStack(1);
    signedOutVisitor = new ThawVisitor([stack.origins[0]!]);
    actors = await createActors(stack);
  });
  afterAll(() => stack.close());

  /** Attempts one case as one actor, with every kind of ids that has an expected outcome. */
  const attemptCase = async <Case extends CaseWithOutcomes>(
    triedCase: Case,
    caseNumber: number,
    actor: Actor,
    attempt: Attempt<Case>,
  ): Promise<AttemptResult[]> => {
    const results: AttemptResult[] = [];
    for (const kind of ID_KINDS) {
      const outcome = triedCase.outcomes[kind];
      if (outcome === undefined) continue;
      const ids = await actors.chooseIds(actor, kind);
      const actual = await attempt(triedCase, actor, ids);
      const title = `${caseNumber}. ${actor}, ${kind}: `;
      results.push({ expected: title + resolveOutcome(outcome, actor), actual: title + actual });
    }
    return results;
  };

  /** Attempts each case as each of the actors, one after the other. */
  const expectOutcomes = async <Case extends CaseWithOutcomes>(
    triedActors: readonly Actor[],
    cases: readonly Case[],
    attempt: Attempt<Case>,
  ): Promise<void> => {
    const results: AttemptResult[] = [];
    for (const [index, triedCase] of cases.entries())
      for (const actor of triedActors)
        results.push(...(await attemptCase(triedCase, index + 1, actor, attempt)));
    expectAllAsExpected(results);
  };

  /** Like `expectOutcomes` with all actors at once, for cases in which an actor does not depend on others. */
  const expectOutcomesAtOnce = async <Case extends CaseWithOutcomes>(
    triedActors: readonly Actor[],
    cases: readonly Case[],
    attempt: Attempt<Case>,
  ): Promise<void> => {
    const resultsByActor = await Promise.all(
      triedActors.map(async (actor) => {
        const results: AttemptResult[] = [];
        for (const [index, triedCase] of cases.entries())
          results.push(...(await attemptCase(triedCase, index + 1, actor, attempt)));
        return results;
      }),
    );
    expectAllAsExpected(resultsByActor.flat());
  };

  it('has a table entry for every route that is served, and for no other', () => {
    const served = listServedRoutes(stack.replicas[0]!.app);
    const withoutDocs = served.filter((route) => !route.startsWith('GET /api/docs'));
    // `ALL /api` is listed several times: Nest adds this route for each middleware of `AuthModule`.
    expect([...new Set(withoutDocs)].sort()).toEqual(allRoutes.map(([route]) => route).sort());
  });

  it('has a table entry for every event that a gateway handles, and for no other', () => {
    const handled = [...collectGatewayMethods(stack.replicas[0]!.app).keys()];
    expect(handled.sort()).toEqual(allFrames.map(([event]) => event).sort());
  });

  it('closes the socket of a suspended user after the frame `standing`', async () => {
    const socket = await actors.users.suspended.openUnauthenticatedSocket();
    // Clients receive the same code after a suspension as after a logout.
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
    expect(socket.frames.map(({ event }) => event)).toEqual(['standing']);
  });

  it('closes a socket without a login before it can send a frame', async () => {
    // There is no cookie. The user id 0 is a placeholder.
    const socket = await ThawSocket.open(`${stack.origins[0]!.replace(/^http/, 'ws')}/ws`, {}, 0);
    expect(await socket.closed).toBe(closeCodes.notSignedIn);
  });

  const otherEvents = allFrames.map(([event]) => event).filter((event) => event !== 'authenticate');
  it.each(otherEvents)('requires the frame `authenticate` before %s', async (event) => {
    const socket = await actors.users.self.openUnauthenticatedSocket();
    expect(await socket.ask(event as 'ping', {})).toMatchObject({ data: { code: 'not_authenticated' } });
    await socket.closeCleanly();
  });

  describe.each(allFrames)('of the frame %s', (event, cases) => {
    it('has the outcome of the table for every actor and kind of ids', async () => {
      await expectOutcomesAtOnce(ACTORS, cases, (frameCase, actor, ids) =>
        sendFrame(actors.users[actor], event, frameCase.data(ids)),
      );
    });
  });

  describe.each(allRoutes.filter(([, { cases }]) => cases.length > 0))(
    'of the route %s',
    (route, { isPublic, accessOfExcluded, cases }) => {
      const callAsActor = (httpCase: HttpCase, actor: Actor, ids: Ids): Promise<string> =>
        callRoute(actors.users[actor], route, httpCase, ids);

      it('has the outcome of the table for every actor and kind of ids', async () => {
        await expectOutcomes(HTTP_ACTORS, cases, callAsActor);
      });

      it('refuses suspended users unless it is open to them', async () => {
        const casesForSuspended = cases.map((httpCase) => ({
          ...httpCase,
          outcomes: toOutcomesForSuspended(httpCase.outcomes, accessOfExcluded),
        }));
        await expectOutcomes(['suspended'], casesForSuspended, callAsActor);
      });

      if (route.includes(' /api/moderation/')) {
        it('has the outcome of the table for moderators', async () => {
          const casesForModerators = cases.map((httpCase) => {
            const { moderatorOutcomes } = httpCase;
            if (!moderatorOutcomes) throw new Error('A case has no outcomes for moderators');
            return { ...httpCase, outcomes: moderatorOutcomes };
          });
          await expectOutcomes(MODERATORS, casesForModerators, callAsActor);
        });
      }

      it('requires a login unless the route is public', async () => {
        for (const httpCase of cases) {
          for (const kind of ID_KINDS) {
            const outcome = httpCase.outcomes[kind];
            if (outcome === undefined) continue;
            // A public route has the same outcome for every actor.
            const expected = isPublic ? outcome : '401 not_signed_in';
            const actual = await callRoute(
              signedOutVisitor,
              route,
              httpCase,
              await actors.chooseIds('self', kind),
            );
            expect([kind, actual]).toEqual([kind, expected]);
          }
        }
      });
    },
  );
});
