import {
  type AuthorizationTable,
  expectWithoutIds,
  NOT_FOUND,
  allowOnlyOwnUserId,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Without a language model, which is the default. With one, the module's own tests show who may ask it. */
export const suggestionsCases: AuthorizationTable = {
  routes: {
    'GET /api/suggestions': { cases: [{ outcomes: expectWithoutIds('200') }] },
    'POST /api/suggestions': {
      cases: [
        {
          body: ({ user, session }) => ({ userId: user, sessionId: session, consent: true }),
          outcomes: allowOnlyOwnUserId(NOT_FOUND, VALIDATION_FAILED),
        },
      ],
    },
  },
};
