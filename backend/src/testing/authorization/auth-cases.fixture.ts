import {
  type AuthorizationTable,
  FORBIDDEN,
  allowOnlyOwnUserId,
  expectWithoutIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

export const authCases: AuthorizationTable = {
  routes: {
    'POST /api/login': {
      isPublic: true,
      isOpenToExcluded: true,
      cases: [{ body: () => ({}), outcomes: expectWithoutIds(VALIDATION_FAILED) }],
    },
    'POST /api/register': {
      isPublic: true,
      cases: [{ body: () => ({}), outcomes: expectWithoutIds(VALIDATION_FAILED) }],
    },
    'POST /api/anonymous': { isPublic: true, isOpenToExcluded: true, cases: [] },
    'POST /api/logout': { isPublic: true, isOpenToExcluded: true, cases: [] },
    'POST /api/convert-anonymous': {
      isOpenToExcluded: true,
      cases: [
        {
          body: ({ user }) => ({ userId: user, email: 'taken@example.org', password: 'secret' }),
          outcomes: allowOnlyOwnUserId(
            { stranger: '403 not_anonymous', else: '409 email_taken' },
            VALIDATION_FAILED,
          ),
        },
      ],
    },
    'PUT /api/user/:id/email': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/email`,
          body: () => ({ newEmail: 'new@example.org', currentPassword: 'wrong' }),
          outcomes: allowOnlyOwnUserId({ stranger: '403 wrong_password', else: FORBIDDEN }),
        },
      ],
    },
    'PUT /api/user/:id/password': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/password`,
          body: () => ({ newPassword: 'secrets', currentPassword: 'wrong' }),
          outcomes: allowOnlyOwnUserId({ stranger: '403 wrong_password', else: FORBIDDEN }),
        },
      ],
    },
  },
};
