import { type AuthorizationTable, NOT_FOUND, outcomeOfOneAttempt } from './authorization-case.fixture';

export const uploadsCases: AuthorizationTable = {
  routes: {
    'POST /api/upload': {
      // JSON instead of a form: the status shows that the user may upload.
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt('415 unsupported_type') }],
    },
    'GET /api/files/:bucket/*key': {
      cases: [
        {
          path: ({ image }) => String(image),
          outcomes: { own: '200', other: NOT_FOUND, missing: NOT_FOUND, malformed: NOT_FOUND },
        },
      ],
    },
  },
};
