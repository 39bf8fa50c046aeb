import {
  type AuthorizationTable,
  expectForAllIds,
  NOT_FOUND,
  onlyOwnUserId,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Without a language model, which is the default. With one, the module's own tests show who may ask it. */
export const suggestionsCases: AuthorizationTable = {
  routes: {
    'GET /api/suggestions': { cases: [{ outcomes: expectForAllIds('200') }] },
    'POST /api/suggestions': {
      cases: [
        {
          body: ({ user, session }) => ({ userId: user, sessionId: session, consent: true }),
          outcomes: onlyOwnUserId(NOT_FOUND, VALIDATION_FAILED),
        },
      ],
    },
  },
};
