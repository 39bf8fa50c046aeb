import { type AuthorizationTable, NOT_FOUND, outcomeOfOneAttempt } from './authorization-case.fixture';

export const uploadsCases: AuthorizationTable = {
  routes: {
    'POST /api/upload': {
      // Each actor tries it once. The body is not a form, so 415 is the response to a user who may upload.
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt('415 unsupported_type') }],
    },
    'GET /api/files/:bucket/*key': {
      cases: [
        {
          path: ({ image }) => String(image), // the path of an image's URL
          outcomes: { own: '200', other: NOT_FOUND, missing: NOT_FOUND, malformed: NOT_FOUND },
        },
      ],
    },
  },
};
