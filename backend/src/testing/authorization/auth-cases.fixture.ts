import {
  type AuthorizationTable,
  FORBIDDEN,
  forbidOtherUserIds,
  outcomeOfOneAttempt,
  STRANGER_EMAIL,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Every actor sends a wrong password. Only `stranger` has one; the other actors (`else`) are anonymous. */
const outcomesWithWrongPassword = forbidOtherUserIds({
  own: { stranger: '403 wrong_password', else: FORBIDDEN },
});

/** The routes to log in and out, to register, and to change an email address or password. */
export const authCases: AuthorizationTable = {
  routes: {
    'POST /api/login': {
      isPublic: true,
      accessOfExcluded: 'any_ids', // suspended and banned users can log in, too
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt(VALIDATION_FAILED) }],
    },
    'POST /api/register': {
      isPublic: true,
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt(VALIDATION_FAILED) }],
    },
    // These two are not tried, because they would replace or end the logins of actors.
    'POST /api/anonymous': { isPublic: true, accessOfExcluded: 'any_ids', cases: [] },
    'POST /api/logout': { isPublic: true, accessOfExcluded: 'any_ids', cases: [] },
    'POST /api/convert-anonymous': {
      accessOfExcluded: 'any_ids',
      cases: [
        {
          // The email address is that of `stranger`, so this converts no actor.
          body: ({ user }) => ({ userId: user, email: STRANGER_EMAIL, password: 'secret' }),
          outcomes: forbidOtherUserIds({
            own: { stranger: '403 not_anonymous', else: '409 email_taken' },
            malformed: VALIDATION_FAILED, // the id is in the body, not in the path
          }),
        },
      ],
    },
    'PUT /api/user/:id/email': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/email`,
          body: () => ({ newEmail: 'new@example.org', currentPassword: 'wrong' }),
          outcomes: outcomesWithWrongPassword,
        },
      ],
    },
    'PUT /api/user/:id/password': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/password`,
          body: () => ({ newPassword: 'secrets', currentPassword: 'wrong' }),
          outcomes: outcomesWithWrongPassword,
        },
      ],
    },
  },
};
