import { authCases } from './auth-cases.fixture';
import {
  type AuthorizationTable,
  type FrameCase,
  NOT_FOUND,
  type RouteCases,
  outcomeOfOneAttempt,
} from './authorization-case.fixture';
import { blocksCases } from './blocks-cases.fixture';
import { conductCases } from './conduct-cases.fixture';
import { friendsCases } from './friends-cases.fixture';
import { matchingCases } from './matching-cases.fixture';
import { moderationCases } from './moderation-cases.fixture';
import { myDataCases } from './my-data-cases.fixture';
import { privateChatCases } from './private-chat-cases.fixture';
import { randomChatCases } from './random-chat-cases.fixture';
import { reportsCases } from './reports-cases.fixture';
import { suggestionsCases } from './suggestions-cases.fixture';
import { uploadsCases } from './uploads-cases.fixture';
import { usersCases } from './users-cases.fixture';

/**
 * All paths below `/api` that have no other route. Nest registers `ALL /api` (every method) for the middleware of
 * `AuthModule`, which runs for every path. The response is 404.
 */
const unknownPath: AuthorizationTable = {
  routes: {
    'ALL /api': {
      isPublic: true,
      accessOfExcluded: 'any_ids', // suspended and banned users get the same response
      cases: [{ outcomes: outcomeOfOneAttempt(NOT_FOUND) }],
    },
  },
};

const tables: AuthorizationTable[] = [
  unknownPath,
  authCases,
  usersCases,
  friendsCases,
  blocksCases,
  conductCases,
  moderationCases,
  reportsCases,
  randomChatCases,
  matchingCases,
  privateChatCases,
  uploadsCases,
  myDataCases,
  suggestionsCases,
];

/** The cases of every route. Those with `runsLast` are at the end, because tests try the routes in this order. */
export const allRoutes: [route: string, cases: RouteCases][] = tables
  .flatMap(({ routes = {} }) => Object.entries(routes))
  .sort(([, one], [, other]) => Number(one.runsLast ?? false) - Number(other.runsLast ?? false));

/** The cases of every frame that clients send. */
export const allFrames: [event: string, cases: FrameCase[]][] = tables.flatMap(({ frames = {} }) =>
  Object.entries(frames),
);
