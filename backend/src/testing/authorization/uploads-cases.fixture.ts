import { type AuthorizationTable, NOT_FOUND, expectWithoutIds } from './authorization-case.fixture';

export const uploadsCases: AuthorizationTable = {
  routes: {
    'POST /api/upload': {
      cases: [{ body: () => ({}), outcomes: expectWithoutIds('415 unsupported_type') }],
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
