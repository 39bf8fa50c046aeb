import {
  type AuthorizationTable,
  outcomeOfOneAttempt,
  NOT_FOUND,
  forbidOtherUserIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/**
 * The replica has no language model, which is the default, so even a permitted request for suggestions gets a 404.
 * The module's own tests cover suggestions with a model.
 */
export const suggestionsCases: AuthorizationTable = {
  routes: {
    'GET /api/suggestions': { cases: [{ outcomes: outcomeOfOneAttempt('200') }] },
    'POST /api/suggestions': {
      cases: [
        {
          body: ({ user, session }) => ({ userId: user, sessionId: session, consent: true }),
          outcomes: forbidOtherUserIds({ own: NOT_FOUND, malformed: VALIDATION_FAILED }),
        },
      ],
    },
  },
};
